import "@mantine/core/styles/ColorSwatch.css";
import "@mantine/core/styles/ColorPicker.css";
import "@mantine/core/styles/ColorInput.css";
import { ColorInput } from "@mantine/core";
import type { ControlProps } from "../control-props.js";
import { errorSentence } from "../field-errors.js";

/** A colour, by picking it or by typing it. Names and functions of CSS stay as they are. */
export function ColorControl({ setting, value, onChange, label, errors, isDisabled }: ControlProps) {
  return (
    <ColorInput
      aria-label={label}
      size="xs"
      value={typeof value === "string" ? value : ""}
      placeholder={setting.options.placeholder ?? "#0093e6"}
      fixOnBlur={false}
      withEyeDropper={false}
      maw={220}
      error={errorSentence(errors)}
      disabled={isDisabled}
      onChange={onChange}
    />
  );
}
