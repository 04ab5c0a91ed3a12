import { Stack, Title } from "@mantine/core";
import { useEventPlan } from "../../../api/audience/use-event-names.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { MergeName } from "./merge-name.js";
import { MergedNames } from "./merged-names.js";
import { PlanForm } from "./plan-form.js";
import { PlanProblems } from "./plan-problems.js";

/** What is planned for a name of events, and what did not follow it. */
export function PlanSection({ name }: { name: string }) {
  const { data: plan, error, refetch } = useEventPlan(name);
  return (
    <Stack gap="xs">
      <Title order={2}>Tracking plan</Title>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {plan ? (
        <>
          <PlanProblems plan={plan} />
          <PlanForm plan={plan} />
          <MergedNames plan={plan} />
          {plan.merged_into === null ? <MergeName name={name} /> : null}
        </>
      ) : null}
    </Stack>
  );
}
