import { TagsInput } from "@mantine/core";
import type { ControlProps } from "../control-props.js";
import { errorSentence } from "../field-errors.js";

/** A list of free texts. */
export function TagsControl({ setting, value, onChange, label, errors, isDisabled }: ControlProps) {
  const tags = Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === "string") : [];
  const [first] = errors;
  return (
    <TagsInput
      aria-label={label}
      value={tags}
      placeholder={tags.length > 0 ? "" : (setting.options.placeholder ?? "Type and press Enter")}
      error={errorSentence(errors) ?? first?.message}
      disabled={isDisabled}
      onChange={onChange}
    />
  );
}
