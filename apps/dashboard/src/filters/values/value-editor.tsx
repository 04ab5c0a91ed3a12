import { MultiSelect } from "@mantine/core";
import type { FieldType, PropertyPredicate } from "@muster/query";
import classes from "../clause-row.module.css";
import type { FilterSegment } from "../filter-schema.js";
import { OPERATORS } from "../operators.js";
import { readNumbers } from "./read-numbers.js";
import { ScalarInput } from "./scalar-input.js";
import { SpanInput } from "./span-input.js";
import { TextInputWithValues } from "./text-input-with-values.js";
import type { ValueSource } from "./use-frequent-values.js";
import { ValuesInput } from "./values-input.js";

interface ValueEditorProps {
  clause: PropertyPredicate;
  onChange: (clause: PropertyPredicate) => void;
  /** The name of what is compared. */
  label: string;
  type: FieldType | undefined;
  /** Where frequent values are looked up. */
  source: ValueSource;
  segments: readonly FilterSegment[];
  isReadOnly: boolean;
  isNew: boolean;
}

/** Edits the value of a clause, in the way that suits its operator and type. */
export function ValueEditor(props: ValueEditorProps) {
  const { clause, onChange, label, type, source, segments, isReadOnly, isNew } = props;
  const value = clause.options?.value;
  const change = (next: unknown) => {
    const { options: _before, ...rest } = clause;
    onChange(next === undefined || next === "" ? rest : { ...rest, options: { value: next } });
  };
  const common = { label, isReadOnly, isNew };
  switch (OPERATORS[clause.operator].value) {
    case "none":
      return null;
    case "span":
      return <SpanInput value={value} onChange={change} label={`Time of ${label}`} isReadOnly={isReadOnly} />;
    case "segments":
      return (
        <MultiSelect
          className={classes.value}
          aria-label="Segments"
          data={segments.map(({ id, name }) => ({ value: id, label: name }))}
          value={listOf(value).map(String)}
          onChange={(ids) => change(ids.length === 0 ? undefined : ids)}
          searchable
          selectFirstOptionOnChange
          disabled={isReadOnly}
          placeholder={listOf(value).length === 0 ? "Choose a segment" : ""}
        />
      );
    case "values":
      if (type === "date") return <ScalarInput {...common} type={type} value={value} onChange={change} />;
      return (
        <ValuesInput
          {...common}
          source={source}
          values={listOf(value)}
          onChange={(texts) => {
            const next = type === "numeric" ? readNumbers(texts) : texts;
            change(next.length === 0 ? undefined : next.length === 1 ? next[0] : next);
          }}
        />
      );
    case "text":
      return <TextInputWithValues {...common} source={source} value={value} onChange={change} />;
    case "pair": {
      const [from, to] = listOf(value);
      const changePair = (pair: readonly unknown[]) => change(pair.every(isMissing) ? undefined : pair);
      return (
        <>
          <ScalarInput
            {...common}
            type={type}
            label={`${label}, from`}
            value={from}
            onChange={(next) => changePair([next, to])}
          />
          <span>and</span>
          <ScalarInput
            {...common}
            isNew={false}
            type={type}
            label={`${label}, to`}
            value={to}
            onChange={(next) => changePair([from, next])}
          />
        </>
      );
    }
    case "value":
      return <ScalarInput {...common} type={type} value={value} onChange={change} />;
  }
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === "";
}
