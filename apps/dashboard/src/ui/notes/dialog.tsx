import type { ModalProps } from "@mantine/core";
import { Suspense, useState } from "react";
import { lazyPart } from "../state/lazy-part.js";

const Modal = lazyPart(() => import("./modal.js"), "default");

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
