import { Select } from "@mantine/core";
import { NumberField } from "../../ui/form/number-field.js";
import classes from "../clause-row.module.css";
import { readSpan, type SpanUnit, UNITS, writeSpan } from "../span.js";

interface SpanInputProps {
  value: unknown;
  onChange: (value: string) => void;
  label: string;
  isReadOnly: boolean;
  /** Those to choose from. Default all. */
  units?: readonly SpanUnit[];
}

// The keys are the units.
const ALL_UNITS = Object.keys(UNITS) as SpanUnit[];

/** A time such as 30 days. */
export function SpanInput({ value, onChange, label, isReadOnly, units = ALL_UNITS }: SpanInputProps) {
  const span = readSpan(value) ?? { amount: 30, unit: "d" as const };
  return (
    <span className={classes.span}>
      <NumberField
        className={classes.count}
        aria-label={`${label}: amount`}
        value={span.amount}
        isWhole
        disabled={isReadOnly}
        onChange={(amount = 1) => onChange(writeSpan({ ...span, amount: Math.min(Math.max(amount, 1), 999_999) }))}
      />
      <Select
        className={classes.unit}
        aria-label={`${label}: unit`}
        data={units.map((unit) => ({ value: unit, label: `${UNITS[unit]}s` }))}
        value={span.unit}
        allowDeselect={false}
        disabled={isReadOnly}
        // The choices are the units.
        onChange={(unit) => unit && onChange(writeSpan({ ...span, unit: unit as SpanUnit }))}
      />
    </span>
  );
}
