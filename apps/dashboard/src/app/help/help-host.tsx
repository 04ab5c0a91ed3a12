import { useHotkeys } from "@mantine/hooks";
import { lazy, Suspense, useEffect, useState } from "react";
import { Dialog } from "../../ui/notes/dialog.js";
import { helpRequest } from "../requests.js";

const Shortcuts = lazy(() => import("./shortcuts.js"));

/** Listens for `?`, which opens the list of shortcuts. */
export function HelpHost() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => helpRequest.listen(() => setOpen(true)), []);
  useHotkeys([["shift+?", helpRequest.send]]);
  return (
    <Dialog opened={isOpen} onClose={() => setOpen(false)} title="Keyboard shortcuts">
      <Suspense fallback={null}>
        <Shortcuts />
      </Suspense>
    </Dialog>
  );
}
