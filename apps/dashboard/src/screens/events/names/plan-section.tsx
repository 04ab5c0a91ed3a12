import { Stack, Title } from "@mantine/core";
import { useState } from "react";
import { useEventPlan } from "../../../api/audience/use-event-names.js";
import { useJob } from "../../../api/jobs/use-jobs.js";
import { JobOutcome } from "../../../jobs/job-outcome.js";
import { JobProgress } from "../../../jobs/job-progress.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { MergeName } from "./merge-name.js";
import { MergedNames } from "./merged-names.js";
import { PlanForm } from "./plan-form.js";
import { PlanProblems } from "./plan-problems.js";

/** What is planned for a name of events, and what did not follow it. */
export function PlanSection({ name }: { name: string }) {
  const { data: plan, error, refetch } = useEventPlan(name);
  // What starts the job goes once the plan is read again, so the job is kept and shown here.
  const [jobId, setJobId] = useState<string>();
  const { data: job, error: unread, refetch: readAgain } = useJob(jobId);
  return (
    <Stack gap="xs">
      <Title order={2}>Tracking plan</Title>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {plan ? (
        <>
          <PlanProblems plan={plan} />
          <PlanForm plan={plan} />
          <MergedNames plan={plan} onStarted={setJobId} />
          {plan.merged_into === null ? <MergeName name={name} onStarted={setJobId} /> : null}
        </>
      ) : null}
      {unread ? <ErrorNote error={unread} onRetry={() => void readAgain()} /> : null}
      {job ? <JobProgress job={job} what={job.name} /> : null}
      {job ? <JobOutcome job={job} /> : null}
    </Stack>
  );
}
