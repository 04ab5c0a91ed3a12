import { Button, Group, Progress, Stack, Text } from "@mantine/core";
import type { Job } from "@muster/protocol/api/jobs";
import { hasEnded, useJobChanges } from "../api/jobs/use-jobs.js";
import { useMay } from "../api/session/use-organization.js";
import { notifyFailed } from "../ui/notes/notify-done.js";
import { paceOf, progressWords } from "./job-words.js";

/** A job while it runs: how far it is, how fast, how long it takes, and a way to stop it. */
export function JobProgress({ job, what }: { job: Job; what: string }) {
  const { cancel } = useJobChanges();
  const mayChange = useMay(job.type === "revert" ? "owner" : "editor");
  if (hasEnded(job)) return null;
  const now = Date.now();
  const { share } = paceOf(job, now);
  return (
    <Stack gap={4} maw={640}>
      <Group justify="space-between">
        <Text aria-live="polite">
          {what}: {progressWords(job, now)}
        </Text>
        {job.type === "rewrite" ? null : (
          <Button
            variant="default"
            disabled={!mayChange}
            loading={cancel.isPending}
            onClick={() => cancel.mutate(job.id, { onError: notifyFailed })}
          >
            Cancel
          </Button>
        )}
      </Group>
      <Progress
        value={(share ?? 0) * 100}
        animated={share === undefined}
        aria-label={what}
        size="sm"
        transitionDuration={200}
      />
    </Stack>
  );
}
