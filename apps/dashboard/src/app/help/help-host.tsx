import { Suspense, useEffect, useState } from "react";
import { Dialog } from "../../ui/notes/dialog.js";
import { isTyping } from "../../ui/state/is-typing.js";
import { lazyPart } from "../../ui/state/lazy-part.js";
import { helpRequest } from "../requests.js";

const Shortcuts = lazyPart(() => import("./shortcuts.js"), "default");

/** Listens for `?`, which opens the list of shortcuts. */
export function HelpHost() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => helpRequest.listen(() => setOpen(true)), []);
  useEffect(() => {
    // Which keys make a question mark depends on the keyboard, so only the result counts.
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === "?" && !isTyping(event)) setOpen(true);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
  return (
    <Dialog opened={isOpen} onClose={() => setOpen(false)} title="Keyboard shortcuts">
      <Suspense fallback={null}>
        <Shortcuts />
      </Suspense>
    </Dialog>
  );
}
