import { Alert, Button, Checkbox, Group, Stack, Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { MergeRecord, UnmergeChoices, UnmergePreview } from "@muster/protocol/api/merges";
import { useState } from "react";
import { useUnmerge, useUnmergePreview } from "../../../api/audience/use-subject.js";
import { Dialog } from "../../../ui/notes/dialog.js";
import { notifyDone } from "../../../ui/notes/notify-done.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { formatCount } from "../../../ui/text/format.js";
import { UndecidedChoices } from "./undecided-choices.js";
import { UnmergeTable } from "./unmerge-table.js";

interface UnmergeDialogProps {
  type: SubjectType;
  id: string;
  /** The merge to undo; undefined while the dialog is closed. */
  merge: MergeRecord | undefined;
  onClose: () => void;
}

/** Shows both halves of a merge side by side, asks about what nobody can decide, and undoes the merge. */
export function UnmergeDialog({ type, id, merge, onClose }: UnmergeDialogProps) {
  return (
    <Dialog opened={merge !== undefined} onClose={onClose} title="Undo this merge" size="xl">
      {merge ? <UnmergeForm key={merge.merged_id} type={type} id={id} merge={merge} onClose={onClose} /> : null}
    </Dialog>
  );
}

function UnmergeForm({ type, id, merge, onClose }: UnmergeDialogProps & { merge: MergeRecord }) {
  const [choices, setChoices] = useState<UnmergeChoices>({});
  const [isNeverAgain, setNeverAgain] = useState(true);
  // What can be chosen is what nothing was chosen of, so it comes from a preview of its own.
  const open = useUnmergePreview(id, merge.merged_id, {});
  const preview = useUnmergePreview(id, merge.merged_id, choices);
  const unmerge = useUnmerge(id);
  const confirm = async () => {
    await unmerge.mutateAsync({ merged_id: merge.merged_id, never_again: isNeverAgain, choices });
    notifyDone(`These are two ${type}s again`);
    onClose();
  };
  if (preview.isError) return <ErrorNote error={preview.error} onRetry={() => void preview.refetch()} />;
  if (!preview.data || !open.data) return <Text c="dimmed">Both are computed …</Text>;
  return (
    <Stack>
      <Text>
        The {type} that was merged is split off and has its former id again. What records have written since goes to the
        one whose identifier they name.
      </Text>
      <UnmergeTable preview={preview.data} />
      <UndecidedChoices undecided={open.data.undecided} choices={choices} onChange={setChoices} />
      <Text c="dimmed">{toldText(preview.data)}</Text>
      <Checkbox
        label="Do not merge these two again"
        description="Otherwise the next record that names both joins them. Settings, Not merged, lists all such pairs."
        checked={isNeverAgain}
        onChange={({ currentTarget }) => setNeverAgain(currentTarget.checked)}
      />
      {unmerge.isError ? <ErrorNote error={unmerge.error} /> : null}
      {merge.can_undo ? null : <Alert color="yellow">{merge.why_not}</Alert>}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button loading={unmerge.isPending} onClick={() => void confirm().catch(() => undefined)}>
          Split the two
        </Button>
      </Group>
    </Stack>
  );
}

function toldText({ connectors }: UnmergePreview): string {
  if (connectors.length === 0) return "No connector listens, so none is told.";
  const names = connectors.slice(0, 3).map(({ id, name }) => name ?? id);
  const rest = connectors.length - names.length;
  const others = rest === 0 ? "" : ` and ${formatCount(rest, "other connector")}`;
  return `Told of both, as far as their filters let them: ${names.join(", ")}${others}.`;
}
