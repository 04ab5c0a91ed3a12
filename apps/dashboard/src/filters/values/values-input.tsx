import { TagsInput } from "@mantine/core";
import { useState } from "react";
import classes from "../clause-row.module.css";
import { FrequentValue } from "./frequent-value.js";
import { useFrequentValues, type ValueSource } from "./use-frequent-values.js";

interface ValuesInputProps {
  values: readonly unknown[];
  onChange: (values: string[]) => void;
  source: ValueSource;
  label: string;
  isReadOnly: boolean;
  isNew: boolean;
}

/** One value or several, with the most frequent ones to choose from. */
export function ValuesInput({ values, onChange, source, label, isReadOnly, isNew }: ValuesInputProps) {
  const [typed, setTyped] = useState("");
  const { values: frequent, onFocus } = useFrequentValues(source, typed);
  return (
    <TagsInput
      className={classes.value}
      aria-label={`Values of ${label}`}
      placeholder={values.length === 0 ? "Type a value" : "or…"}
      value={values.map(String)}
      onChange={onChange}
      searchValue={typed}
      onSearchChange={setTyped}
      onFocus={onFocus}
      splitChars={[]}
      data={frequent.map((one) => one.value)}
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <FrequentValue text={option.value} found={frequent.find((one) => one.value === option.value)} />
      )}
      disabled={isReadOnly}
      autoFocus={isNew}
    />
  );
}
