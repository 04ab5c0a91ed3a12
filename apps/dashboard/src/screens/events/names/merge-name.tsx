import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useMergeEvents } from "../../../api/audience/use-event-names.js";
import { useJob } from "../../../api/jobs/use-jobs.js";
import { useMay } from "../../../api/session/use-organization.js";
import { JobOutcome } from "../../../jobs/job-outcome.js";
import { JobProgress } from "../../../jobs/job-progress.js";
import { ConfirmDialog } from "../../../ui/notes/confirm-dialog.js";

/** Merges a name of events into another. A job renames the stored events. */
export function MergeName({ name }: { name: string }) {
  const [into, setInto] = useState("");
  const [isAsking, setAsking] = useState(false);
  const [jobId, setJobId] = useState<string>();
  const mayEdit = useMay("editor");
  const merging = useMergeEvents();
  const job = useJob(jobId).data;
  const wanted = into.trim();
  return (
    <Stack gap="xs">
      <Group align="flex-end">
        <TextInput
          label="Merge into another name"
          placeholder="The name that stays"
          flex={1}
          maxLength={512}
          value={into}
          onChange={({ currentTarget }) => setInto(currentTarget.value)}
        />
        <Button
          variant="default"
          disabled={!mayEdit || wanted === "" || wanted === name}
          onClick={() => setAsking(true)}
        >
          Merge
        </Button>
      </Group>
      {job ? <JobProgress job={job} what={job.name} /> : null}
      {job ? <JobOutcome job={job} /> : null}
      <ConfirmDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={`Merge ${name} into ${wanted}`}
        action="Merge the names"
        isDestructive={false}
        onConfirm={async () => setJobId((await merging.mutateAsync({ from: name, into: wanted })).id)}
      >
        <Text>
          All stored events are called {wanted} then, and so are events that arrive as {name}. Segments and insights
          that ask for {name} find the events of both. The merge can be undone: each event keeps the name that it came
          with.
        </Text>
      </ConfirmDialog>
    </Stack>
  );
}
