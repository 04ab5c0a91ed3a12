import { MultiSelect, Select } from "@mantine/core";
import { useState } from "react";
import { choiceOf, keyOf, listData } from "./choice-data.js";
import { type Choice, type ChoiceValue, isChoiceValue } from "./read-setting.js";

interface ChoiceInputProps {
  label: string;
  value: unknown;
  onChange: (value: unknown) => void;
  choices: readonly Choice[];
  isMultiple: boolean;
  /** Values that are not among the choices may be given. */
  mayCreate?: boolean;
  /** The value that is stored for a text that somebody has typed. */
  create?: (typed: string) => string;
  placeholder?: string | undefined;
  error?: string | undefined;
  isDisabled: boolean;
  /** Called with what somebody types, to search where the choices come from. */
  onSearch?: (text: string) => void;
  onOpen?: () => void;
  nothingFound?: string;
}

/** One choice of a list, or several. Chosen values that are not in the list stay. */
export function ChoiceInput(props: ChoiceInputProps) {
  const { label, value, onChange, choices, isMultiple, mayCreate = false, create = (typed) => typed } = props;
  const { placeholder, error, isDisabled, onSearch, onOpen, nothingFound = "Nothing found" } = props;
  const [typed, setTyped] = useState("");
  const chosen = (Array.isArray(value) ? value : [value]).filter(isChoiceValue);
  const isSearching = typed !== "" && !chosen.some((one) => labelOf(one, choices) === typed);
  const data = listData(choices, chosen, mayCreate && isSearching ? create(typed) : undefined);
  const read = (key: string): ChoiceValue => choiceOf(key, choices);
  const shared = {
    "aria-label": label,
    data,
    placeholder: placeholder ?? (mayCreate ? "Choose or type" : "Choose"),
    error,
    disabled: isDisabled,
    searchable: true,
    searchValue: typed,
    onSearchChange: (text: string) => {
      setTyped(text);
      // A chosen entry puts its label there, which nobody searches for.
      onSearch?.(choices.some((choice) => choice.label === text) ? "" : text);
    },
    ...(onOpen ? { onDropdownOpen: onOpen } : {}),
    nothingFoundMessage: nothingFound,
    clearable: !isDisabled,
    clearButtonProps: { "aria-label": `Clear ${label}` },
    maxDropdownHeight: 280,
  };
  if (isMultiple) {
    return (
      <MultiSelect
        {...shared}
        {...(chosen.length > 0 ? { placeholder: "" } : {})}
        hidePickedOptions
        value={[...new Set(chosen.map(keyOf))]}
        onChange={(keys) => onChange(keys.map(read))}
      />
    );
  }
  const [first] = chosen;
  return (
    <Select
      {...shared}
      value={first === undefined || first === "" ? null : keyOf(first)}
      onChange={(key) => onChange(key === null ? null : read(key))}
    />
  );
}

function labelOf(value: ChoiceValue, choices: readonly Choice[]): string {
  return choices.find((choice) => keyOf(choice.value) === keyOf(value))?.label ?? keyOf(value);
}
