import { Button, Group, Stack, Text, Title } from "@mantine/core";
import type { EventPlan } from "@muster/protocol/api/events";
import { useState } from "react";
import { useUnmergeEvent } from "../../../api/audience/use-event-names.js";
import { useJob } from "../../../api/jobs/use-jobs.js";
import { useMay } from "../../../api/session/use-organization.js";
import { JobOutcome } from "../../../jobs/job-outcome.js";
import { JobProgress } from "../../../jobs/job-progress.js";
import { ErrorNote } from "../../../ui/page/error-note.js";

/** The names that were merged into this one, or the one that it was merged into, and the way back. */
export function MergedNames({ plan }: { plan: EventPlan }) {
  const { event, merged_into: into, merged_from: from } = plan;
  const [jobId, setJobId] = useState<string>();
  const mayEdit = useMay("editor");
  const undoing = useUnmergeEvent();
  const job = useJob(jobId).data;
  const names = into === null ? from : [event];
  if (names.length === 0 && !job) return null;
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
            onClick={() => undoing.mutate(name, { onSuccess: ({ id }) => setJobId(id) })}
          >
            Undo the merge of {name}
          </Button>
        </Group>
      ))}
      {undoing.error ? <ErrorNote error={undoing.error} /> : null}
      {job ? <JobProgress job={job} what={job.name} /> : null}
      {job ? <JobOutcome job={job} /> : null}
    </Stack>
  );
}
