import { NumberInput } from "@mantine/core";
import type { ControlProps } from "../control-props.js";
import { errorSentence } from "../field-errors.js";

export function NumberControl({ setting, value, onChange, label, errors, isDisabled }: ControlProps) {
  const { minimum, maximum, type, options } = setting;
  return (
    <NumberInput
      aria-label={label}
      value={typeof value === "number" || typeof value === "string" ? value : ""}
      allowDecimal={type !== "integer"}
      {...(minimum === undefined ? {} : { min: minimum })}
      {...(maximum === undefined ? {} : { max: maximum })}
      // What somebody types stays; the server says when it is out of bounds.
      clampBehavior="none"
      placeholder={options.placeholder ?? ""}
      maw={220}
      error={errorSentence(errors)}
      disabled={isDisabled}
      onChange={(given) => {
        const number = typeof given === "number" ? given : Number(given);
        onChange(given === "" || Number.isNaN(number) ? null : number);
      }}
    />
  );
}
