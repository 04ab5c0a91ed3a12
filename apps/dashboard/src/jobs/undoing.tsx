import { Button, Group, List, Stack, Text } from "@mantine/core";
import type { UndoResult, UndoSample } from "@muster/protocol/api/reverts";
import { undoSentences } from "@muster/protocol/api/undo-sentences";
import { useJob } from "../api/jobs/use-jobs.js";
import { useUndo, type WriteRange } from "../api/jobs/use-undo.js";
import { ErrorNote } from "../ui/page/error-note.js";
import { JobProgress } from "./job-progress.js";
import { canceledSentence } from "./job-words.js";

interface UndoingProps {
  /** The id of the job or the connector whose writes are undone. */
  id: string;
  /** Of a connector: when it wrote them. */
  range?: WriteRange;
  /** What is undone, in words. */
  about: string;
  /** What the button says that undoes it. */
  title: string;
  onClose: () => void;
}

/** Says what an undo would do, undoes it when the person says so, and then says what it has done. */
export function Undoing({ id, range, about, title, onClose }: UndoingProps) {
  const { preview, undo } = useUndo(id, range);
  const counted = useJob(preview.data?.id).data;
  const undoing = useJob(undo.data?.id).data;
  const error = preview.error ?? undo.error;
  const shown = undoing ?? counted;
  const failed = shown?.status === "failed" ? new Error(shown.error ?? "It failed.") : undefined;
  return (
    <Stack>
      <Text>{about}</Text>
      {counted && !undoing ? <JobProgress job={counted} what="Looking at what it wrote" /> : null}
      {undoing ? <JobProgress job={undoing} what="Undoing" /> : null}
      {shown?.status === "completed" ? (
        <UndoneWords result={shown.result as UndoResult} isDone={!shown.dry_run} />
      ) : null}
      {shown?.status === "canceled" ? <Text>{canceledSentence(shown)}</Text> : null}
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
