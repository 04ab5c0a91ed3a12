import { Text } from "@mantine/core";
import { useEventPlan } from "../api/audience/use-event-names.js";
import type { FilterSchema } from "./filter-schema.js";

/** Says what events with a saved name are called now, if the name was merged into another. */
export function MergedName({ name, schema }: { name: string; schema: FilterSchema }) {
  // Lists do not offer merged names, so only a name that is not offered can be one.
  return schema.events.some((event) => event.name === name) ? null : <CurrentName name={name} />;
}

function CurrentName({ name }: { name: string }) {
  const { data: plan } = useEventPlan(name);
  if (!plan?.merged_into) return null;
  return (
    <Text span size="sm" c="dimmed">
      now part of {plan.merged_into}
    </Text>
  );
}
