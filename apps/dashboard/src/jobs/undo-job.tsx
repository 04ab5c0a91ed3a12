import { Button } from "@mantine/core";
import type { Job } from "@muster/protocol/api/jobs";
import { useState } from "react";
import { useMay } from "../api/session/use-organization.js";
import { Dialog } from "../ui/notes/dialog.js";
import { Undoing } from "./undoing.js";

/** Whether what a job wrote can be taken back: what an import has brought, also when it was canceled on its way. */
function canBeUndone({ type, status, dry_run }: Job): boolean {
  const isOver = status === "completed" || status === "canceled" || status === "failed";
  return (type === "import" || type === "revert") && isOver && !dry_run;
}

/** Undoes an import, or an undo: first it says what will happen. */
export function UndoJob({ job }: { job: Job }) {
  const [isOpen, setOpen] = useState(false);
  const isOwner = useMay("owner");
  if (!isOwner || !canBeUndone(job)) return null;
  const title = job.type === "import" ? "Undo this import" : "Undo this undo";
  return (
    <>
      <Button variant="default" size="compact-xs" onClick={() => setOpen(true)}>
        {title}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={title}>
        {isOpen ? <Undoing id={job.id} about={job.name} title={title} onClose={() => setOpen(false)} /> : null}
      </Dialog>
    </>
  );
}
