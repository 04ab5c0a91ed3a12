import { Select } from "@mantine/core";
import type { FilterSchema } from "../../filters/filter-schema.js";
import { FIRST_OPTIONS } from "../../ui/form/first-options.js";
import classes from "./insights-screen.module.css";
import { without } from "./question-address.js";

interface BreakdownSelectProps<Value extends { breakdown?: string }> {
  value: Value;
  onChange: (value: Value) => void;
  schema: FilterSchema;
  /** The names of the events whose properties are offered. */
  events: readonly (string | undefined)[];
}

/** Shows each value of a property or attribute by itself. */
export function BreakdownSelect<Value extends { breakdown?: string }>(props: BreakdownSelectProps<Value>) {
  const { value, onChange, schema, events } = props;
  const properties = new Set(
    schema.events
      .filter(({ name }) => events.includes(name))
      .flatMap((event) => event.properties.map(({ name }) => name)),
  );
  const data = [
    { group: "Event", items: [...properties].map((name) => ({ value: `properties.${name}`, label: name })) },
    {
      group: "User and account",
      items: schema.fields
        .filter(({ type }) => type !== "json")
        .map(({ key, name, label, owner }) => ({
          value: `${owner}.${owner === "user" ? name : key}`,
          label: `${label === name ? name : `${label} (${name})`}${owner === "account" ? " of the account" : ""}`,
        })),
    },
  ];
  const offered = data.flatMap(({ items }) => items);
  const seen = new Set<string>();
  const distinct = data.map(({ group, items }) => ({
    group,
    items: items.filter(({ value: item }) => !seen.has(item) && seen.add(item)),
  }));
  const { breakdown } = value;
  if (breakdown && !offered.some((item) => item.value === breakdown)) {
    distinct.push({ group: "Chosen", items: [{ value: breakdown, label: breakdown }] });
  }
  return (
    <Select
      label="Break down by"
      placeholder="Nothing"
      data={distinct.filter(({ items }) => items.length > 0)}
      value={breakdown ?? null}
      searchable
      clearable
      clearButtonProps={{ "aria-label": "Remove the breakdown" }}
      {...FIRST_OPTIONS}
      // Only the breakdown of the value changes.
      onChange={(chosen) =>
        onChange(chosen === null ? (without(value, "breakdown") as Value) : { ...value, breakdown: chosen })
      }
      className={classes.field}
    />
  );
}
