import { TextInput } from "@mantine/core";
import type { FieldType } from "@muster/query";
import { NumberField } from "../../ui/form/number-field.js";
import classes from "../clause-row.module.css";
import { DateInput } from "./date-input.js";

interface ScalarInputProps {
  type: FieldType | undefined;
  value: unknown;
  onChange: (value: unknown) => void;
  label: string;
  isReadOnly: boolean;
  isNew: boolean;
}

/** One number, date or text. */
export function ScalarInput({ type, value, onChange, label, isReadOnly, isNew }: ScalarInputProps) {
  if (type === "date") return <DateInput value={value} onChange={onChange} label={label} isReadOnly={isReadOnly} />;
  if (type === "numeric" && (value === undefined || typeof value === "number")) {
    return (
      <NumberField
        className={classes.number}
        aria-label={`Value of ${label}`}
        value={value}
        onChange={onChange}
        disabled={isReadOnly}
        autoFocus={isNew}
      />
    );
  }
  return (
    <TextInput
      className={classes.value}
      aria-label={`Value of ${label}`}
      value={value === undefined ? "" : String(value)}
      onChange={({ currentTarget }) => onChange(readScalar(currentTarget.value, type))}
      disabled={isReadOnly}
      autoFocus={isNew}
    />
  );
}

/** A property without a known type is compared with a number when a number is typed. */
function readScalar(text: string, type: FieldType | undefined): string | number {
  return type === undefined && text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}
