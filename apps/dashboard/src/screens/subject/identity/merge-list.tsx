import { Button, Group, Stack, Text, Title, Tooltip } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { MergeRecord } from "@muster/protocol/api/merges";
import { useState } from "react";
import { namelessWords } from "../../../api/audience/subject-name.js";
import { useMerges } from "../../../api/audience/use-subject.js";
import { useSubjectNames } from "../../../api/audience/use-subject-names.js";
import { useMay, useOrganization } from "../../../api/session/use-organization.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { TextLink } from "../../../ui/page/text-link.js";
import { IDENTIFIER_NAMES } from "../../../ui/text/identifier-names.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { writerName } from "../writer-name.js";
import { UnmergeDialog } from "./unmerge-dialog.js";

/** What was merged into the subject, when and why, and a way to undo it. */
export function MergeList({ type, id }: { type: SubjectType; id: string }) {
  const merges = useMerges(id);
  const may = useMay("editor");
  const [undoing, setUndoing] = useState<MergeRecord>();
  const { id: org } = useOrganization();
  const undone = merges.data?.undone.map(({ merged_id, survivor_id, undone_at }) => ({
    other: survivor_id === id ? merged_id : survivor_id,
    undone_at,
  }));
  const names = useSubjectNames(undone?.map(({ other }) => other) ?? []);
  if (merges.isError) return <ErrorNote error={merges.error} onRetry={() => void merges.refetch()} />;
  if (!merges.data) return null;
  const whyDisabled = ({ why_not }: MergeRecord) =>
    why_not || (may ? "Shows both first, and what nobody can decide" : "Viewers cannot undo a merge");
  return (
    <Stack gap="xs" component="section" aria-label="Merges">
      <Title order={3}>Merges</Title>
      {merges.data.merges.length === 0 ? <Text c="dimmed">No other {type} was merged into this one.</Text> : null}
      {merges.data.merges.map((merge) => (
        <Group key={merge.merged_id} justify="space-between" wrap="nowrap" align="flex-start">
          <Stack gap={0} style={{ overflowWrap: "anywhere" }}>
            <Text component="div">
              <TimeText time={merge.merged_at} />: {identifiersText(merge.merged_identifiers) || merge.merged_id}
            </Text>
            <Text c="dimmed" size="xs">
              {causeText(merge)}
            </Text>
          </Stack>
          <Tooltip label={whyDisabled(merge)} multiline maw={320}>
            <Button
              variant="default"
              size="compact-xs"
              disabled={!may || !merge.can_undo}
              onClick={() => setUndoing(merge)}
            >
              Undo this merge
            </Button>
          </Tooltip>
        </Group>
      ))}
      {undone?.map(({ other, undone_at }) => (
        <Text key={`${other} ${undone_at}`} component="div" c="dimmed" size="xs">
          <TimeText time={undone_at} />: the merge with{" "}
          <TextLink
            to={type === "user" ? "/o/$org/users/$id" : "/o/$org/accounts/$id"}
            params={{ org, id: other }}
            size="xs"
            underline="always"
          >
            {names.get(other) ?? namelessWords(other)}
          </TextLink>{" "}
          was undone.
        </Text>
      ))}
      <UnmergeDialog type={type} id={id} merge={undoing} onClose={() => setUndoing(undefined)} />
    </Stack>
  );
}

export function identifiersText(identifiers: MergeRecord["merged_identifiers"]): string {
  return Object.entries(identifiers)
    .map(([kind, values]) => `${IDENTIFIER_NAMES[kind] ?? kind} ${values.join(", ")}`)
    .join("; ");
}

function causeText({ cause }: MergeRecord): string {
  return cause
    ? `A record of ${writerName(cause.written_by)} named the ${IDENTIFIER_NAMES[cause.identifier] ?? cause.identifier} ${cause.value}.`
    : "Which identifier brought them together was not kept.";
}
