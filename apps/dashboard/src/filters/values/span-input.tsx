import { NumberInput, Select } from "@mantine/core";
import classes from "../clause-row.module.css";
import { readSpan, type SpanUnit, UNITS, writeSpan } from "../span.js";

interface SpanInputProps {
  value: unknown;
  onChange: (value: string) => void;
  label: string;
  isReadOnly: boolean;
}

/** A time such as 30 days. */
export function SpanInput({ value, onChange, label, isReadOnly }: SpanInputProps) {
  const span = readSpan(value) ?? { amount: 30, unit: "d" as const };
  return (
    <>
      <NumberInput
        className={classes.count}
        aria-label={`${label}: amount`}
        value={span.amount}
        min={1}
        max={999_999}
        allowDecimal={false}
        allowNegative={false}
        hideControls
        disabled={isReadOnly}
        onChange={(amount) => onChange(writeSpan({ ...span, amount: Math.max(1, Number(amount)) }))}
      />
      <Select
        className={classes.unit}
        aria-label={`${label}: unit`}
        data={Object.entries(UNITS).map(([unit, name]) => ({ value: unit, label: `${name}s` }))}
        value={span.unit}
        allowDeselect={false}
        disabled={isReadOnly}
        // The choices are the units.
        onChange={(unit) => unit && onChange(writeSpan({ ...span, unit: unit as SpanUnit }))}
      />
    </>
  );
}
