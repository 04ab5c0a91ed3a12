import { Textarea, TextInput } from "@mantine/core";
import { controlKind } from "../control-kind.js";
import type { ControlProps } from "../control-props.js";
import { errorSentence } from "../field-errors.js";

/** A text. One with several lines gets a field with several lines. */
export function TextControl({ setting, value, onChange, label, errors, isDisabled }: ControlProps) {
  const kind = controlKind(setting, value);
  const text = value === undefined || value === null ? "" : String(value);
  const shared = {
    "aria-label": label,
    value: text,
    placeholder: setting.options.placeholder ?? (kind === "address" ? "https://" : ""),
    error: errorSentence(errors),
    disabled: isDisabled,
  };
  if (kind === "long-text" || text.includes("\n")) {
    return (
      <Textarea
        {...shared}
        autosize
        minRows={3}
        maxRows={16}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  }
  return <TextInput {...shared} onChange={({ currentTarget }) => onChange(currentTarget.value)} />;
}
