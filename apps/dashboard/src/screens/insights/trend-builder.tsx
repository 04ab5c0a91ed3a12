import { ActionIcon, Button, Checkbox, Group, Select } from "@mantine/core";
import { MEASURES } from "@muster/protocol/api/choices";
import type { TrendRequest } from "@muster/protocol/api/insights";
import { PlusIcon, XIcon } from "@primer/octicons-react";
import type { FilterSchema } from "../../filters/filter-schema.js";
import { BreakdownSelect } from "./breakdown-select.js";
import { EventChoice } from "./event-choice.js";
import classes from "./insights-screen.module.css";
import { IntervalSelect, TimeRange } from "./time-fields.js";

type Series = TrendRequest["series"][number];

interface TrendBuilderProps {
  value: TrendRequest;
  onChange: (value: TrendRequest) => void;
  schema: FilterSchema;
}

const MAX_SERIES = 10;
const NAMES: Record<(typeof MEASURES)[number], string> = {
  count: "Number of events",
  users: "Number of users",
  sum: "Sum of",
  avg: "Average of",
  min: "Least",
  max: "Greatest",
};
const MEASURE_CHOICES = [
  ...MEASURES.map((value) => ({ value: value as string, label: NAMES[value] })),
  { value: "segment", label: "Size of a segment" },
];

/** What a trend shows: its series, time, interval, breakdown, and whether it is compared. */
export function TrendBuilder({ value, onChange, schema }: TrendBuilderProps) {
  const { series } = value;
  const change = (place: number, next: Series) =>
    onChange({ ...value, series: series.map((one, at) => (at === place ? next : one)) });
  return (
    <div className={classes.builder}>
      {series.map((one, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: series come from the address and have no identity
        <div key={place} className={classes.row}>
          <MeasureFields
            value={one}
            place={place}
            schema={schema}
            onChange={(next) => {
              const isOfSegment = next.segment !== undefined;
              const { breakdown, ...rest } = value;
              const kept = breakdown === undefined || isOfSegment ? rest : value;
              onChange({ ...kept, series: series.map((other, at) => (at === place ? next : other)) });
            }}
          />
          {one.segment === undefined ? (
            <EventChoice
              label={`Events of series ${place + 1}`}
              value={one}
              onChange={(next) => change(place, next)}
              schema={schema}
            />
          ) : null}
          {series.length > 1 ? (
            <ActionIcon
              aria-label={`Remove series ${place + 1}`}
              size="md"
              onClick={() => onChange({ ...value, series: series.filter((_, at) => at !== place) })}
            >
              <XIcon size={14} />
            </ActionIcon>
          ) : null}
        </div>
      ))}
      <Group>
        <Button
          variant="default"
          leftSection={<PlusIcon size={14} />}
          disabled={series.length >= MAX_SERIES}
          onClick={() => onChange({ ...value, series: [...series, { measure: "count" }] })}
        >
          Add a series
        </Button>
      </Group>
      <div className={classes.fields}>
        <TimeRange value={value} onChange={onChange} />
        <IntervalSelect value={value} onChange={onChange} />
        {series.some(({ segment }) => segment !== undefined) ? null : (
          <BreakdownSelect
            value={value}
            onChange={onChange}
            schema={schema}
            events={series.map(({ event }) => event)}
          />
        )}
        <Checkbox
          label="Compare with the time before"
          checked={value.compare ?? false}
          onChange={({ currentTarget }) => onChange({ ...value, compare: currentTarget.checked })}
          className={classes.check}
        />
      </div>
    </div>
  );
}

interface MeasureFieldsProps {
  value: Series;
  place: number;
  schema: FilterSchema;
  onChange: (value: Series) => void;
}

function MeasureFields({ value, place, schema, onChange }: MeasureFieldsProps) {
  const { measure, property, segment, event } = value;
  const properties = schema.events
    .filter(({ name }) => event === undefined || name === event)
    .flatMap((one) => one.properties.filter(({ type }) => type === "number" || type === "numeric"));
  const names = [
    ...new Set(properties.map(({ name }) => name)),
    ...(property ? [property.replace(/^properties\./, "")] : []),
  ];
  const choose = (chosen: string | null) => {
    if (chosen === null) return;
    if (chosen === "segment") return onChange({ measure: "count", segment: schema.segments[0]?.id ?? "" });
    const { property: kept, segment: _segment, ...rest } = value;
    // The other choices are the measures.
    const next = chosen as Series["measure"];
    onChange({ ...rest, measure: next, ...(next === "count" || next === "users" || !kept ? {} : { property: kept }) });
  };
  return (
    <>
      <Select
        aria-label={`What series ${place + 1} shows`}
        data={MEASURE_CHOICES}
        value={segment === undefined ? measure : "segment"}
        allowDeselect={false}
        onChange={choose}
        className={classes.measure}
      />
      {segment !== undefined ? (
        <Select
          aria-label={`Segment of series ${place + 1}`}
          data={schema.segments.map(({ id, name }) => ({ value: id, label: name }))}
          value={segment === "" ? null : segment}
          allowDeselect={false}
          searchable
          placeholder="Choose a segment"
          onChange={(chosen) => chosen && onChange({ measure: "count", segment: chosen })}
          className={classes.segment}
        />
      ) : null}
      {segment === undefined && measure !== "count" && measure !== "users" ? (
        <>
          <Select
            aria-label={`Property of series ${place + 1}`}
            data={[...new Set(names)]}
            value={property?.replace(/^properties\./, "") ?? null}
            searchable
            placeholder="a property"
            onChange={(chosen) => chosen && onChange({ ...value, property: `properties.${chosen}` })}
            className={classes.measure}
          />
          <span className={classes.word}>of</span>
        </>
      ) : null}
    </>
  );
}
