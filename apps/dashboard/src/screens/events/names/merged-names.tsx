import { Button, Group, Stack, Text, Title } from "@mantine/core";
import type { EventPlan } from "@muster/protocol/api/events";
import { useUnmergeEvent } from "../../../api/audience/use-event-names.js";
import { useMay } from "../../../api/session/use-organization.js";
import { ErrorNote } from "../../../ui/page/error-note.js";

interface MergedNamesProps {
  plan: EventPlan;
  /** Gets the id of the job that gives the stored events their name back. */
  onStarted: (jobId: string) => void;
}

/** The names that were merged into this one, or the one that it was merged into, and the way back. */
export function MergedNames({ plan, onStarted }: MergedNamesProps) {
  const { event, merged_into: into, merged_from: from } = plan;
  const mayEdit = useMay("editor");
  const undoing = useUnmergeEvent();
  const names = into === null ? from : [event];
  if (names.length === 0) return null;
  return (
    <Stack gap="xs">
      <Title order={3}>Merged names</Title>
      {into === null ? null : <Text>These events are part of {into} now.</Text>}
      {names.map((name) => (
        <Group key={name} justify="space-between">
          <Text>{name}</Text>
          <Button
            variant="default"
            size="xs"
            disabled={!mayEdit || undoing.isPending}
            onClick={() => undoing.mutate(name, { onSuccess: ({ id }) => onStarted(id) })}
          >
            Undo the merge of {name}
          </Button>
        </Group>
      ))}
      {undoing.error ? <ErrorNote error={undoing.error} /> : null}
    </Stack>
  );
}
