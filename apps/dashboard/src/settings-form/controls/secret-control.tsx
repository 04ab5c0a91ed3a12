import { PasswordInput } from "@mantine/core";
import type { ControlProps } from "../control-props.js";
import { errorSentence } from "../field-errors.js";

/** A secret. What is stored is not shown: an empty field keeps it. */
export function SecretControl({ value, stored, onChange, label, errors, isDisabled }: ControlProps) {
  const isStored = typeof stored === "string" && stored !== "";
  const isKept = isStored && value === stored;
  return (
    <PasswordInput
      aria-label={label}
      autoComplete="new-password"
      value={isKept || typeof value !== "string" ? "" : value}
      placeholder={isStored ? "A value is stored. Leave this empty to keep it" : ""}
      error={errorSentence(errors)}
      disabled={isDisabled}
      visibilityToggleButtonProps={{ "aria-label": `Show ${label}` }}
      onChange={({ currentTarget }) => {
        const typed = currentTarget.value;
        onChange(typed === "" && isStored ? stored : typed);
      }}
    />
  );
}
