import type { ModalProps } from "@mantine/core";
import { lazy, Suspense, useState } from "react";

const Modal = lazy(() => import("./modal.js"));

/** A question in front of the page. The code of such windows is loaded when the first one opens. */
export function Dialog(props: ModalProps) {
  const [wasOpened, setWasOpened] = useState(false);
  if (props.opened && !wasOpened) setWasOpened(true);
  if (!props.opened && !wasOpened) return null;
  return (
    <Suspense fallback={null}>
      <Modal {...props} />
    </Suspense>
  );
}
