import { Modal as MantineModal, type ModalProps } from "@mantine/core";
import { useEffect, useState } from "react";

/** It is opened after it is mounted: only then does it give the focus back when it closes. */
export default function Modal({ opened, ...props }: ModalProps) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(opened), [opened]);
  return <MantineModal {...props} opened={isOpen} />;
}
