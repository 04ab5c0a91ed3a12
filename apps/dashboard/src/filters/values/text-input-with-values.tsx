import { Autocomplete } from "@mantine/core";
import classes from "../clause-row.module.css";
import { FrequentValue } from "./frequent-value.js";
import { useFrequentValues, type ValueSource } from "./use-frequent-values.js";

interface TextInputWithValuesProps {
  value: unknown;
  onChange: (value: string) => void;
  source: ValueSource;
  label: string;
  isReadOnly: boolean;
  isNew: boolean;
}

/** A text, with the most frequent values to choose from. */
export function TextInputWithValues({ value, onChange, source, label, isReadOnly, isNew }: TextInputWithValuesProps) {
  const text = value === undefined ? "" : String(value);
  const { values, isCurrent, onFocus } = useFrequentValues(source, text);
  const isUnused = isCurrent && text !== "" && values.length === 0;
  return (
    <Autocomplete
      className={classes.value}
      aria-label={`Value of ${label}`}
      placeholder="Type a text"
      value={text}
      onChange={onChange}
      onFocus={onFocus}
      data={values.map((one) => one.value)}
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <FrequentValue text={option.value} found={values.find((one) => one.value === option.value)} />
      )}
      description={isUnused ? "Nobody has such a value" : undefined}
      inputWrapperOrder={["label", "input", "description"]}
      classNames={{ description: classes.note ?? "" }}
      disabled={isReadOnly}
      autoFocus={isNew}
    />
  );
}
