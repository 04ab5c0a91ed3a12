import { Autocomplete, Select, Text, Textarea } from "@mantine/core";
import { useEffect, useState } from "react";
import { type ActionField, type Mapping, useFieldChoices } from "../../../api/connectors/use-mappings.js";
import { isJsonValue, textOfValue, valueOfText } from "./field-text.js";

interface FieldInputProps {
  connectorId: string;
  mapping: Mapping;
  field: ActionField;
  choices: { group: string; items: string[] }[];
  isDisabled: boolean;
  onChange: (value: unknown) => void;
}

/** One field of a payload: a text with values of the user or the event in it, a choice, or JSON. */
export function FieldInput({ connectorId, mapping, field, choices, isDisabled, onChange }: FieldInputProps) {
  const value = mapping.fields[field.key];
  const [text, setText] = useState(() => textOfValue(value));
  // Another mapping is shown, or the draft was dropped. The own text stays while it means the value.
  useEffect(() => {
    setText((before) => (sameValue(valueOfText(before, field.type), value) ? before : textOfValue(value)));
  }, [value, field.type]);
  const [isOpen, setOpen] = useState(false);
  const offered = useFieldChoices(connectorId, mapping, field.key, field.isDynamic && isOpen);
  const write = (next: string) => {
    setText(next);
    onChange(valueOfText(next, field.type));
  };
  const shared = {
    label: field.label,
    description: field.description === "" ? undefined : field.description,
    withAsterisk: field.required === true,
    disabled: isDisabled,
    error: offered.data?.problem,
  };
  if (field.choices?.length && (text === "" || field.choices.some((choice) => String(choice.value) === text))) {
    const data = field.choices.map((choice) => ({ value: String(choice.value), label: choice.label }));
    return (
      <Select
        {...shared}
        data={data}
        value={text === "" ? null : text}
        onChange={(next) => write(next ?? "")}
        clearable
        searchable
      />
    );
  }
  if (isJsonValue(value) || field.type === "object" || field.type === "text") {
    return (
      <Textarea
        {...shared}
        value={text}
        onChange={({ currentTarget }) => write(currentTarget.value)}
        autosize
        minRows={1}
        maxRows={10}
      />
    );
  }
  const labels = new Map(offered.data?.options.map((option) => [String(option.value), option.label]));
  const options = [...labels.keys()];
  return (
    <Autocomplete
      {...shared}
      value={text}
      onChange={write}
      onDropdownOpen={() => setOpen(true)}
      renderOption={({ option }) => <Choice value={option.value} label={labels.get(option.value)} />}
      data={options.length > 0 ? [{ group: "At the service", items: options }, ...choices] : choices}
      limit={100}
      maxDropdownHeight={280}
    />
  );
}

/** What the service offers is an id, and has a name for people. */
function Choice({ value, label = value }: { value: string; label: string | undefined }) {
  if (label === value) return value;
  return (
    <div>
      {label}
      <Text size="xs" c="dimmed">
        {value}
      </Text>
    </div>
  );
}

function sameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
