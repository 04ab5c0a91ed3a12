import { TextInput, type TextInputProps } from "@mantine/core";
import { useState } from "react";

interface NumberFieldProps extends Omit<TextInputProps, "value" | "onChange"> {
  /** The number, or undefined when there is none. */
  value: number | undefined;
  onChange: (value: number | undefined) => void;
  isWhole?: boolean;
}

/** A number that somebody types. While somebody types, the field shows the typed text, also when it is no number yet. */
export function NumberField({ value, onChange, isWhole = false, onBlur, ...props }: NumberFieldProps) {
  const [typed, setTyped] = useState<string>();
  return (
    <TextInput
      {...props}
      inputMode={isWhole ? "numeric" : "decimal"}
      autoComplete="off"
      value={typed ?? value ?? ""}
      onChange={({ currentTarget }) => {
        const text = currentTarget.value.replace(",", ".").replace(isWhole ? /[^\d-]/g : /[^\d.eE+-]/g, "");
        setTyped(text);
        onChange(numberOf(text));
      }}
      onBlur={(event) => {
        setTyped(undefined);
        onBlur?.(event);
      }}
    />
  );
}

function numberOf(text: string): number | undefined {
  if (text.trim() === "") return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}
