import { Stack, Text, Title } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { SubjectIdentity as Identity } from "@muster/protocol/api/history";
import { TimeText } from "../../../ui/text/time-text.js";
import { writerName } from "../writer-name.js";
import { IDENTIFIER_NAMES } from "./identifier-names.js";

/** What was merged into the subject, when and why, and what can be undone. */
export function MergeList({ type, merges }: { type: SubjectType; merges: Identity["merges"] }) {
  return (
    <Stack gap="xs" component="section" aria-label="Merges">
      <Title order={3}>Merges</Title>
      {merges.length === 0 ? (
        <Text c="dimmed">No other {type} was merged into this one.</Text>
      ) : (
        <Text c="dimmed">
          A merge cannot be undone as a whole. Removing an identifier above keeps later records with it away from this{" "}
          {type}; what is already here stays.
        </Text>
      )}
      {merges.map(({ merged_id, merged_at, merged_identifiers, cause }) => (
        <Stack key={merged_id} gap={0}>
          <Text component="div">
            <TimeText time={merged_at} />:{" "}
            {Object.entries(merged_identifiers)
              .map(([kind, values]) => `${IDENTIFIER_NAMES[kind] ?? kind} ${values.join(", ")}`)
              .join("; ") || merged_id}
          </Text>
          <Text c="dimmed" size="xs">
            {cause
              ? `A record of ${writerName(cause.written_by)} named the ${IDENTIFIER_NAMES[cause.identifier] ?? cause.identifier} ${cause.value}.`
              : "Which identifier brought them together was not kept."}
          </Text>
        </Stack>
      ))}
    </Stack>
  );
}
