import type { PropertyPredicate } from "@muster/query";
import { EventCondition } from "./event-condition.js";
import type { FilterSchema } from "./filter-schema.js";
import { NewCondition } from "./new-condition.js";

interface EventConditionsProps {
  eventName: string;
  properties: FilterSchema["events"][number]["properties"];
  conditions: readonly PropertyPredicate[];
  onChange: (conditions: readonly PropertyPredicate[]) => void;
}

/** Conditions on the properties of an event, as in the segment builder. */
export function EventConditions({ eventName, properties, conditions, onChange }: EventConditionsProps) {
  return (
    <>
      {conditions.map((condition, index) => (
        <EventCondition
          // biome-ignore lint/suspicious/noArrayIndexKey: conditions come from the address and have no identity
          key={index}
          condition={condition}
          eventName={eventName}
          properties={properties}
          isReadOnly={false}
          onChange={(next) => onChange(conditions.map((one, at) => (at === index ? next : one)))}
          onRemove={() => onChange(conditions.filter((_, at) => at !== index))}
        />
      ))}
      <NewCondition
        eventName={eventName}
        properties={properties}
        onAdd={(condition) => onChange([...conditions, condition])}
      />
    </>
  );
}
