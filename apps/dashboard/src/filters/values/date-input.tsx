import { Select, TextInput } from "@mantine/core";
import classes from "../clause-row.module.css";
import { dateFormOf, readAgo, today, writeAgo } from "./date-forms.js";
import { SpanInput } from "./span-input.js";

interface DateInputProps {
  value: unknown;
  onChange: (value: string | undefined) => void;
  label: string;
  isReadOnly: boolean;
}

/** A date: a day of the calendar, or so long ago. */
export function DateInput({ value, onChange, label, isReadOnly }: DateInputProps) {
  const form = dateFormOf(value);
  return (
    <>
      <Select
        className={classes.window}
        aria-label={`How the date of ${label} is given`}
        data={[
          { value: "day", label: "the day" },
          { value: "ago", label: "so long ago" },
          ...(form === "text" ? [{ value: "text", label: "other" }] : []),
        ]}
        value={form}
        allowDeselect={false}
        disabled={isReadOnly}
        onChange={(chosen) => onChange(chosen === "ago" ? writeAgo("30d") : chosen === "day" ? today() : String(value))}
      />
      {form === "ago" ? (
        <SpanInput
          value={readAgo(value)}
          onChange={(span) => onChange(writeAgo(span))}
          label={`Time before now of ${label}`}
          isReadOnly={isReadOnly}
        />
      ) : (
        <TextInput
          className={classes.date}
          type={form === "day" ? "date" : "text"}
          aria-label={`Date of ${label}`}
          value={value === undefined ? "" : String(value)}
          onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
          disabled={isReadOnly}
        />
      )}
    </>
  );
}
