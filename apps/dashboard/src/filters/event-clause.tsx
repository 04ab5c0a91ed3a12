import { Select } from "@mantine/core";
import type { EventOperator, EventPredicate, PropertyPredicate } from "@muster/query";
import { NumberField } from "../ui/form/number-field.js";
import type { BuilderContext } from "./builder-context.js";
import { clauseId, keepId } from "./clause-ids.js";
import classes from "./clause-row.module.css";
import { isComplete } from "./clauses.js";
import { EventCondition } from "./event-condition.js";
import { MergedName } from "./merged-name.js";
import { NewCondition } from "./new-condition.js";
import { EVENT_OPERATORS } from "./operators.js";
import { RemoveCondition } from "./remove-condition.js";
import { SpanInput } from "./values/span-input.js";

interface EventClauseProps {
  clause: EventPredicate;
  onChange: (clause: EventPredicate) => void;
  onRemove: () => void;
  context: BuilderContext;
}

const TIMES = Object.entries(EVENT_OPERATORS).map(([value, { words }]) => ({ value, label: words }));

/** A clause about how often an event happened, within which time, and with which properties. */
export function EventClause({ clause, onChange, onRemove, context }: EventClauseProps) {
  const { schema, isReadOnly, target } = context;
  const { event, operator = "at_least", within, where = [] } = clause;
  const known = schema.events.find(({ name }) => name === event.name)?.properties ?? [];
  const changeWhere = (next: readonly PropertyPredicate[]) => {
    const { where: _before, ...rest } = clause;
    onChange(next.length === 0 ? rest : { ...rest, where: next });
  };
  const changeWindow = (next: string | undefined) => {
    const { within: _before, ...rest } = clause;
    onChange(next === undefined ? rest : { ...rest, within: next });
  };
  return (
    <div className={classes.row} data-incomplete={isComplete(clause) ? undefined : true}>
      <span className={classes.owner}>{target === "user" ? "did" : "users did"}</span>
      <span className={classes.name}>
        {event.name} <MergedName name={event.name} schema={schema} />
      </span>
      <Select
        className={classes.times}
        aria-label={`How often ${event.name} happened`}
        data={TIMES}
        value={operator}
        allowDeselect={false}
        disabled={isReadOnly}
        // The choices are the operators of events.
        onChange={(chosen) => chosen && onChange(withEventOperator(clause, chosen as EventOperator))}
      />
      <Counts clause={clause} onChange={onChange} isReadOnly={isReadOnly} />
      <Select
        className={classes.window}
        aria-label={`When ${event.name} happened`}
        data={[
          { value: "ever", label: "ever" },
          { value: "within", label: "in the last" },
        ]}
        value={within === undefined ? "ever" : "within"}
        allowDeselect={false}
        disabled={isReadOnly}
        onChange={(chosen) => changeWindow(chosen === "within" ? "30d" : undefined)}
      />
      {within === undefined ? null : (
        <SpanInput value={within} onChange={changeWindow} label={`Time of ${event.name}`} isReadOnly={isReadOnly} />
      )}
      <RemoveCondition label={event.name} isReadOnly={isReadOnly} onRemove={onRemove} />
      <div className={classes.conditions}>
        {where.map((condition, index) => (
          <EventCondition
            key={clauseId(condition)}
            condition={condition}
            eventName={event.name}
            properties={known}
            isReadOnly={isReadOnly}
            onChange={(next) => changeWhere(where.map((one, at) => (at === index ? keepId(one, next) : one)))}
            onRemove={() => changeWhere(where.filter((_, at) => at !== index))}
          />
        ))}
        {isReadOnly ? null : (
          <NewCondition
            eventName={event.name}
            properties={known}
            onAdd={(condition) => changeWhere([...where, condition])}
          />
        )}
      </div>
    </div>
  );
}

function withEventOperator(clause: EventPredicate, operator: EventOperator): EventPredicate {
  const { count, ...rest } = clause;
  const kind = EVENT_OPERATORS[operator].count;
  const first = Array.isArray(count) ? Number(count[0]) : Number(count ?? 1);
  if (kind === "none") return { ...rest, operator };
  return { ...rest, operator, count: kind === "pair" ? [first, first + 1] : first };
}

function Counts({
  clause,
  onChange,
  isReadOnly,
}: Pick<EventClauseProps, "clause" | "onChange"> & { isReadOnly: boolean }) {
  const { event, operator = "at_least", count = 1 } = clause;
  const kind = EVENT_OPERATORS[operator].count;
  if (kind === "none") return null;
  const numbers = Array.isArray(count) ? (count as readonly number[]) : [Number(count)];
  const input = (index: number, label: string) => (
    <NumberField
      key={label}
      className={classes.count}
      aria-label={label}
      value={numbers[index]}
      isWhole
      disabled={isReadOnly}
      onChange={(value) => {
        const next = Math.max(value ?? 0, 0);
        onChange({
          ...clause,
          count:
            kind === "pair" ? [index === 0 ? next : (numbers[0] ?? 0), index === 1 ? next : (numbers[1] ?? 0)] : next,
        });
      }}
    />
  );
  return kind === "pair" ? (
    <>
      {input(0, `Least number of ${event.name}`)}
      <span>and</span>
      {input(1, `Greatest number of ${event.name}`)}
      <span>times</span>
    </>
  ) : (
    <>
      {input(0, `Number of ${event.name}`)}
      <span>times</span>
    </>
  );
}
