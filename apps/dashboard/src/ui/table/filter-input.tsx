import { TextInput, type TextInputProps } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useTyped } from "../state/use-typed.js";
import { useUrlState } from "../state/use-url-state.js";

type FilterInputProps = Omit<TextInputProps, "value" | "onChange"> & {
  /** The search parameter that holds the text. */
  name: string;
  label: string;
};

/** A text field whose text is in the address shortly after it was typed. */
export function FilterInput({ name, label, ...props }: FilterInputProps) {
  const [applied, setApplied] = useUrlState(name, "", { replace: true });
  const [text, setText] = useState(applied);
  const typed = useTyped(text);
  const input = useRef<HTMLInputElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what is typed changes the address
  useEffect(() => {
    if (typed !== applied) setApplied(typed || undefined);
  }, [typed]);
  // Somebody went back, or followed a link. While somebody types, the address is only behind.
  useEffect(() => {
    if (document.activeElement !== input.current) setText(applied);
  }, [applied]);
  return (
    <TextInput
      ref={input}
      aria-label={label}
      placeholder={label}
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      {...props}
    />
  );
}
