import { NumberField } from "../../ui/form/number-field.js";
import type { ControlProps } from "../control-props.js";
import { errorSentence } from "../field-errors.js";

export function NumberControl({ setting, value, onChange, label, errors, isDisabled }: ControlProps) {
  const { type, options } = setting;
  return (
    <NumberField
      aria-label={label}
      value={numberIn(value)}
      // What somebody types stays; the server says when it is out of bounds.
      isWhole={type === "integer"}
      placeholder={options.placeholder ?? ""}
      maw={220}
      error={errorSentence(errors)}
      disabled={isDisabled}
      onChange={(number) => onChange(number ?? null)}
    />
  );
}

/** Manifests also give numbers as texts. */
function numberIn(value: unknown): number | undefined {
  if (typeof value !== "number" && (typeof value !== "string" || value.trim() === "")) return undefined;
  return Number.isFinite(Number(value)) ? Number(value) : undefined;
}
