import { Pill, TagsInput } from "@mantine/core";
import { useState } from "react";
import classes from "../clause-row.module.css";
import { FrequentValue } from "./frequent-value.js";
import { meantValue, unusedWords } from "./meant-value.js";
import { useFrequentValues, useUnusedValues, type ValueSource } from "./use-frequent-values.js";

interface ValuesInputProps {
  values: readonly unknown[];
  onChange: (values: string[]) => void;
  source: ValueSource;
  label: string;
  isReadOnly: boolean;
  isNew: boolean;
}

/** One value or several, with the most frequent ones to choose from. A value that nobody has is allowed, and marked. */
export function ValuesInput({ values, onChange, source, label, isReadOnly, isNew }: ValuesInputProps) {
  const [typed, setTyped] = useState("");
  const { values: frequent, isCurrent, isComplete, onFocus } = useFrequentValues(source, typed);
  const unused = useUnusedValues(source, values);
  const chosen = values.map(String);
  const text = typed.trim();
  const suggested = frequent.map((one) => one.value).filter((value) => !chosen.includes(value));
  const isOther = isCurrent && text !== "" && !frequent.some(({ value }) => value === text) && !chosen.includes(text);
  const take = (value: string) => {
    setTyped("");
    if (!chosen.includes(value)) onChange([...chosen, value]);
  };
  return (
    <TagsInput
      className={classes.value}
      aria-label={`Values of ${label}`}
      placeholder={values.length === 0 ? "Type a value" : "or…"}
      value={chosen}
      onChange={onChange}
      searchValue={typed}
      onSearchChange={setTyped}
      onFocus={onFocus}
      onKeyDown={(event) => {
        // An option that is marked is taken by the list itself.
        const isMarked = event.currentTarget.getAttribute("aria-activedescendant");
        const meant = isCurrent && text !== "" ? meantValue(text, suggested) : undefined;
        if (event.key !== "Enter" || isMarked || meant === undefined || event.nativeEvent.isComposing) return;
        event.preventDefault();
        take(meant);
      }}
      splitChars={[]}
      data={[...suggested, ...(isOther ? [text] : [])]}
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <FrequentValue
          text={option.value}
          found={frequent.find((one) => one.value === option.value)}
          note={isComplete ? "nobody has this value" : "as it is"}
        />
      )}
      renderPill={({ value, onRemove, disabled = false }) => (
        <Pill
          withRemoveButton={!isReadOnly}
          onRemove={onRemove}
          disabled={disabled}
          className={unused.includes(String(value)) ? classes.unused : undefined}
          title={unused.includes(String(value)) ? "Nobody has this value" : undefined}
        >
          {String(value)}
        </Pill>
      )}
      description={unusedWords(unused, chosen.length)}
      inputWrapperOrder={["label", "input", "description"]}
      classNames={{ description: classes.note ?? "" }}
      disabled={isReadOnly}
      autoFocus={isNew}
    />
  );
}
