import { Kbd, TextInput } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { SearchIcon } from "@primer/octicons-react";
import { useEffect, useRef, useState } from "react";
import { useTyped } from "../../ui/state/use-typed.js";

interface SearchBoxProps {
  label: string;
  placeholder: string;
  /** The text that the list shows. */
  value: string;
  onChange: (text: string) => void;
  /** Called with Enter and the arrow down: the person wants to go on in the list. */
  onLeave: () => void;
}

/** The search box of a list. It asks while somebody types; `/` leads to it. */
export function SearchBox({ label, placeholder, value, onChange, onLeave }: SearchBoxProps) {
  const [text, setText] = useState(value);
  const typed = useTyped(text);
  const told = useRef(value);
  const input = useRef<HTMLInputElement>(null);
  useHotkeys([["/", () => input.current?.focus()]]);
  useEffect(() => {
    if (typed === told.current) return;
    told.current = typed;
    onChange(typed);
  }, [typed, onChange]);
  // Another text comes from a saved view, or from going back.
  useEffect(() => {
    if (value === told.current) return;
    told.current = value;
    setText(value);
  }, [value]);
  return (
    <TextInput
      ref={input}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      leftSection={<SearchIcon size={14} />}
      rightSection={text === "" ? <Kbd size="xs">/</Kbd> : null}
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== "ArrowDown" && event.key !== "Enter") return;
        event.preventDefault();
        onLeave();
      }}
      w={{ base: "100%", sm: 340 }}
    />
  );
}
