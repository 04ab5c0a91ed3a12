import { Stack, Title } from "@mantine/core";
import { useEventPlan } from "../../../api/audience/use-event-names.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { MergeName } from "./merge-name.js";
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
          <MergeName name={name} />
        </>
      ) : null}
    </Stack>
  );
}
