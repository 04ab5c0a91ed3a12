import { Autocomplete, Button, Group, SegmentedControl, Select, Stack, Text, Textarea } from "@mantine/core";
import { ATTRIBUTE_TYPES, type AttributeType } from "@muster/protocol/api/choices";
import type { KeyboardEvent } from "react";
import { EventConditions } from "../../../filters/event-conditions.js";
import { FilterBuilder } from "../../../filters/filter-builder.js";
import type { FilterSchema } from "../../../filters/filter-schema.js";
import { SchemaProblem } from "../../../filters/schema-problem.js";
import { TYPE_NAMES } from "../../../filters/type-names.js";
import { SpanInput } from "../../../filters/values/span-input.js";
import { FIRST_OPTIONS } from "../../../ui/form/first-options.js";
import { GuideLink } from "../../../ui/page/guide-link.js";
import classes from "./computed.module.css";
import {
  aggregatesOf,
  type ComputedDraft,
  type ComputedSource,
  type DraftAggregate,
  mayHaveType,
  needsProperty,
  withSource,
} from "./computed-draft.js";

interface FieldsProps {
  draft: ComputedDraft;
  onChange: (draft: ComputedDraft) => void;
  /** What users can be asked about, and the events. */
  schema: FilterSchema;
  /** The attributes that a formula may read. */
  readable: readonly string[];
  isNew: boolean;
}

const TYPES = ATTRIBUTE_TYPES.map((value) => ({ value, label: TYPE_NAMES[value] }));

/** What is computed, of what, and of which time. */
export function ComputedFields(props: FieldsProps) {
  const { draft, onChange, isNew } = props;
  const { target, source } = draft;
  return (
    <Stack gap="sm" onKeyDown={keepFormOpen}>
      <SegmentedControl
        aria-label="What it is computed from"
        className={classes.choice}
        value={source}
        // The choices are the sources.
        onChange={(chosen) => onChange(withSource(draft, chosen as ComputedSource))}
        data={[
          { value: "events", label: target === "user" ? "Events" : "Events of its users" },
          ...(target === "account" ? [{ value: "users", label: "Its users" }] : []),
          { value: "formula", label: "Other attributes" },
        ]}
      />
      {source === "formula" ? <FormulaField {...props} /> : null}
      {source === "events" ? (
        <>
          <SchemaProblem schema={props.schema} />
          <EventFields {...props} />
        </>
      ) : null}
      {source === "users" ? <UserFields {...props} /> : null}
      {isNew && mayHaveType(draft) ? (
        <Select
          label="Type of the values"
          description="The first value decides it for ever, so say it when you know better."
          placeholder="As far as it is known"
          clearable
          w={220}
          data={source === "formula" ? TYPES : TYPES.filter(({ value }) => value !== "array" && value !== "json")}
          value={draft.type ?? null}
          onChange={(type) =>
            onChange({ ...draft, type: ATTRIBUTE_TYPES.find((one) => one === type) as AttributeType })
          }
        />
      ) : null}
    </Stack>
  );
}

/** Enter takes a value of a condition. It must not save the form at the same time. */
function keepFormOpen(event: KeyboardEvent<HTMLElement>): void {
  if (event.key === "Enter" && event.target instanceof HTMLInputElement) event.preventDefault();
}

function AggregateSelect({ draft, onChange }: FieldsProps) {
  return (
    <Select
      aria-label="What is computed"
      className={classes.aggregate}
      data={aggregatesOf(draft.source)}
      value={draft.aggregate}
      allowDeselect={false}
      // The choices are the aggregates.
      onChange={(chosen) => chosen && onChange({ ...draft, aggregate: chosen as DraftAggregate })}
    />
  );
}

function EventFields(props: FieldsProps) {
  const { draft, onChange, schema } = props;
  const { event, property, within, aggregate } = draft;
  const properties = schema.events.find(({ name }) => name === event)?.properties ?? [];
  const isNumeric = aggregate === "sum" || aggregate === "average";
  const usable = properties.filter(({ type }) => !isNumeric || type === "number" || type === "numeric");
  return (
    <>
      <div className={classes.line}>
        <AggregateSelect {...props} />
        {needsProperty(draft) ? (
          <Autocomplete
            aria-label="Property of the events"
            placeholder="a property"
            className={classes.name}
            data={usable.map(({ name }) => name)}
            {...FIRST_OPTIONS}
            value={property}
            onChange={(text) => onChange({ ...draft, property: text })}
          />
        ) : null}
        {needsProperty(draft) ? <span className={classes.word}>of</span> : null}
        <Autocomplete
          aria-label="Name of the events"
          placeholder="an event"
          className={classes.name}
          data={schema.events.map(({ name }) => name)}
          {...FIRST_OPTIONS}
          value={event}
          onChange={(text) => onChange({ ...draft, event: text })}
        />
      </div>
      {event === "" ? null : (
        <div className={classes.conditions}>
          {draft.otherWhere ? (
            <OtherFilter {...props} />
          ) : (
            <EventConditions
              eventName={event}
              properties={properties}
              conditions={draft.conditions}
              onChange={(conditions) => onChange({ ...draft, conditions })}
            />
          )}
        </div>
      )}
      <div className={classes.line}>
        <Select
          aria-label="Of which time"
          className={classes.window}
          data={[
            { value: "ever", label: "ever" },
            { value: "within", label: "in the last" },
          ]}
          value={within === undefined ? "ever" : "within"}
          allowDeselect={false}
          onChange={(chosen) => onChange({ ...draft, within: chosen === "within" ? "30d" : undefined })}
        />
        {within === undefined ? null : (
          <SpanInput
            value={within}
            onChange={(span) => onChange({ ...draft, within: span })}
            label="Time"
            isReadOnly={false}
            units={["m", "h", "d", "w"]}
          />
        )}
      </div>
    </>
  );
}

function UserFields(props: FieldsProps) {
  const { draft, onChange, schema } = props;
  const own = schema.fields.filter(({ owner }) => owner === "user");
  return (
    <>
      <div className={classes.line}>
        <AggregateSelect {...props} />
        {needsProperty(draft) ? (
          <Autocomplete
            aria-label="Attribute of the users"
            placeholder="an attribute"
            className={classes.name}
            data={[...new Set(own.map(({ name }) => name))]}
            {...FIRST_OPTIONS}
            value={draft.attribute}
            onChange={(text) => onChange({ ...draft, attribute: text })}
          />
        ) : null}
      </div>
      {draft.otherWhere ? (
        <OtherFilter {...props} />
      ) : (
        <div>
          <Text c="dimmed" mb={4}>
            {draft.aggregate === "share" ? "The share of users who match this:" : "Only users who match this:"}
          </Text>
          <FilterBuilder
            target="user"
            value={draft.users}
            schema={schema}
            onChange={(users) => onChange({ ...draft, users })}
          />
        </div>
      )}
    </>
  );
}

function OtherFilter({ draft, onChange }: FieldsProps) {
  return (
    <Group gap="xs">
      <Text c="dimmed">Its filter has no form that can be shown here. It stays as it is.</Text>
      <Button variant="default" size="compact-sm" onClick={() => onChange({ ...draft, otherWhere: undefined })}>
        Remove the filter
      </Button>
    </Group>
  );
}

function FormulaField({ draft, onChange, readable }: FieldsProps) {
  return (
    <>
      <Textarea
        label="Formula"
        description={
          <>
            Of attributes by their names, such as plan == &quot;pro&quot; &amp;&amp; seats &gt; 10.{" "}
            <GuideLink page="computed-attributes">How formulas are written</GuideLink>
          </>
        }
        autosize
        minRows={2}
        maxLength={2_000}
        spellCheck={false}
        classNames={{ input: classes.formula ?? "" }}
        value={draft.formula}
        onChange={({ currentTarget }) => onChange({ ...draft, formula: currentTarget.value })}
      />
      <Select
        aria-label="Insert an attribute"
        placeholder="Insert an attribute"
        className={classes.name}
        searchable
        data={[...readable]}
        {...FIRST_OPTIONS}
        value={null}
        onChange={(name) => {
          if (name !== null) onChange({ ...draft, formula: joined(draft.formula, readingOf(name)) });
        }}
      />
    </>
  );
}

/** How a formula reads an attribute: by its name, or by a function when the name is no word. */
function readingOf(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `attribute(${JSON.stringify(name)})`;
}

function joined(formula: string, word: string): string {
  return formula === "" || /\s$/.test(formula) ? `${formula}${word}` : `${formula} ${word}`;
}
