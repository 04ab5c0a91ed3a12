import { Select } from "@mantine/core";
import type { TrendRequest } from "@muster/protocol/api/insights";
import type { PropertyPredicate } from "@muster/query";
import { Suspense } from "react";
import { isComplete } from "../../filters/clauses.js";
import type { FilterSchema } from "../../filters/filter-schema.js";
import { MergedName } from "../../filters/merged-name.js";
import { ANY_EVENT } from "../../insights/insight-words.js";
import { FIRST_OPTIONS } from "../../ui/form/first-options.js";
import { lazyPart } from "../../ui/state/lazy-part.js";
import classes from "./insights-screen.module.css";

// Its inputs are half of this screen, and the first question has no conditions.
const EventConditions = lazyPart(() => import("../../filters/event-conditions.js"), "EventConditions");

export type Choice = Pick<TrendRequest["series"][number], "event" | "where" | "conditions">;

interface EventChoiceProps<Chosen extends Choice> {
  label: string;
  value: Chosen;
  onChange: (value: Chosen) => void;
  schema: FilterSchema;
}

const ANY = " any";

/** Which events: a name, and conditions on their properties as in the segment builder. */
export function EventChoice<Chosen extends Choice>({ label, value, onChange, schema }: EventChoiceProps<Chosen>) {
  const { event } = value;
  // The contract has them as any objects; only this screen writes them.
  const conditions = (value.conditions ?? []) as unknown as PropertyPredicate[];
  const properties = schema.events.find(({ name }) => name === event)?.properties ?? [];
  const names = schema.events.map(({ name }) => name);
  const known = event === undefined || names.includes(event) ? names : [event, ...names];
  const changeConditions = (next: readonly PropertyPredicate[]) => {
    const { conditions: _before, ...rest } = value;
    onChange((next.length === 0 ? rest : { ...rest, conditions: next }) as Chosen);
  };
  return (
    <div className={classes.choice}>
      <Select
        aria-label={label}
        data={[{ value: ANY, label: ANY_EVENT }, ...known.map((name) => ({ value: name, label: name }))]}
        value={event ?? ANY}
        allowDeselect={false}
        searchable
        {...FIRST_OPTIONS}
        onChange={(chosen) => {
          const { event: _before, conditions: _conditions, ...rest } = value;
          onChange((chosen === null || chosen === ANY ? rest : { ...rest, event: chosen }) as Chosen);
        }}
      />
      {event === undefined ? null : <MergedName name={event} schema={schema} />}
      {event === undefined ? null : (
        <Suspense fallback={null}>
          <EventConditions
            eventName={event}
            properties={properties}
            conditions={conditions}
            onChange={changeConditions}
          />
        </Suspense>
      )}
    </div>
  );
}

/** A choice without conditions that have no value yet. */
export function completeChoice<Chosen extends Choice>(value: Chosen): Chosen {
  if (!value.conditions) return value;
  const { conditions, ...rest } = value;
  const complete = (conditions as unknown as PropertyPredicate[]).filter(isComplete);
  return (complete.length === 0 ? rest : { ...rest, conditions: complete }) as Chosen;
}
