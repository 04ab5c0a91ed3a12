import { Button, Group, List, Stack, Text } from "@mantine/core";
import type { Job } from "@muster/protocol/api/jobs";
import type { UndoResult, UndoSample } from "@muster/protocol/api/reverts";
import { undoSentences } from "@muster/protocol/api/undo-sentences";
import { useState } from "react";
import { useJob } from "../api/jobs/use-jobs.js";
import { useUndo } from "../api/jobs/use-undo.js";
import { useMay } from "../api/session/use-organization.js";
import { Dialog } from "../ui/notes/dialog.js";
import { ErrorNote } from "../ui/page/error-note.js";
import { JobProgress } from "./job-progress.js";

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
        {isOpen ? <Undoing job={job} title={title} onClose={() => setOpen(false)} /> : null}
      </Dialog>
    </>
  );
}

function Undoing({ job, title, onClose }: { job: Job; title: string; onClose: () => void }) {
  const { preview, undo } = useUndo(job.id);
  const counted = useJob(preview.data?.id).data;
  const undoing = useJob(undo.data?.id).data;
  const error = preview.error ?? undo.error;
  const shown = undoing ?? counted;
  const failed = shown?.status === "failed" ? new Error(shown.error ?? "It failed.") : undefined;
  return (
    <Stack>
      <Text>{job.name}</Text>
      {counted && !undoing ? <JobProgress job={counted} what="Looking at what it wrote" /> : null}
      {undoing ? <JobProgress job={undoing} what="Undoing" /> : null}
      {shown?.status === "completed" ? (
        <UndoneWords result={shown.result as UndoResult} isDone={!shown.dry_run} />
      ) : null}
      {shown?.status === "canceled" ? <Text>Canceled. What was undone so far stays undone.</Text> : null}
      {error || failed ? <ErrorNote error={error ?? failed} /> : null}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        {counted?.status === "completed" && !undo.data ? (
          <Button loading={undo.isPending} onClick={() => undo.mutate()}>
            {title}
          </Button>
        ) : null}
      </Group>
    </Stack>
  );
}

function UndoneWords({ result, isDone }: { result: UndoResult; isDone: boolean }) {
  const samples = result.samples.filter(({ attribute }) => attribute !== undefined);
  return (
    <Stack gap="xs" aria-live="polite">
      <Text fw={600}>{isDone ? "What has happened" : "What will happen"}</Text>
      <List spacing={4}>
        {undoSentences(result).map((each) => (
          <List.Item key={each}>{each}</List.Item>
        ))}
      </List>
      {samples.length > 0 ? (
        <>
          <Text c="dimmed">For example:</Text>
          <List spacing={2} size="sm">
            {samples.slice(0, 6).map((sample) => (
              <List.Item key={`${sample.id} ${sample.attribute}`}>{sampleWords(sample)}</List.Item>
            ))}
          </List>
        </>
      ) : null}
    </Stack>
  );
}

function sampleWords({ what, attribute, from, to }: UndoSample): string {
  if (what === "stayed") return `${attribute} stays ${valueWords(from)}`;
  return to === null
    ? `${attribute}: ${valueWords(from)} is unset`
    : `${attribute}: ${valueWords(from)} → ${valueWords(to)}`;
}

function valueWords(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
