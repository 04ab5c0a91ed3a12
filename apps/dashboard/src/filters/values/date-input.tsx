import { Select, TextInput } from "@mantine/core";
import classes from "../clause-row.module.css";
import { type DateForm, dateFormOf, spanFromNow, timeFromNow, today } from "./date-forms.js";
import { SpanInput } from "./span-input.js";

interface DateInputProps {
  value: unknown;
  onChange: (value: string | undefined) => void;
  label: string;
  isReadOnly: boolean;
}

/** A date: a day of the calendar, or so long ago or from now. */
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
          { value: "ahead", label: "so long from now" },
          ...(form === "text" ? [{ value: "text", label: "other" }] : []),
        ]}
        value={form}
        allowDeselect={false}
        disabled={isReadOnly}
        // The choices are the forms.
        onChange={(chosen) => onChange(inForm(chosen as DateForm, value))}
      />
      {form === "ago" || form === "ahead" ? (
        <SpanInput
          value={spanFromNow(value)}
          onChange={(span) => onChange(timeFromNow(form, span))}
          label={`Time ${form === "ago" ? "before" : "after"} now of ${label}`}
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

/** The date in another form. A time from now keeps its length. */
function inForm(form: DateForm, value: unknown): string {
  if (form === "text") return String(value);
  return form === "day" ? today() : timeFromNow(form, spanFromNow(value) ?? "30d");
}
