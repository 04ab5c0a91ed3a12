import { Switch } from "@mantine/core";
import type { ControlProps } from "../control-props.js";
import { errorSentence } from "../field-errors.js";

export function SwitchControl({ value, onChange, label, errors, isDisabled }: ControlProps) {
  const isOn = value === true || value === "true";
  return (
    <Switch
      aria-label={label}
      checked={isOn}
      label={isOn ? "On" : "Off"}
      error={errorSentence(errors)}
      disabled={isDisabled}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  );
}
