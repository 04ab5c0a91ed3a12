import { useSegmentsOf } from "../../api/audience/use-segments-of.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { ChoiceInput } from "../choice-input.js";
import { isList } from "../control-kind.js";
import type { ControlProps } from "../control-props.js";
import { errorSentence } from "../field-errors.js";

/** One segment or several, with the standard ones of the manifest first. */
export function SegmentsControl({ setting, value, onChange, label, errors, isDisabled }: ControlProps) {
  const { data: segments = [], error, refetch } = useSegmentsOf(setting.format === "segment" ? "user" : "account");
  const [first] = errors;
  const choices = [...setting.options.standard, ...segments.map(({ id, name }) => ({ value: id, label: name }))];
  return (
    <>
      <ChoiceInput
        label={label}
        value={value}
        onChange={onChange}
        choices={choices}
        isMultiple={isList(setting)}
        placeholder={setting.options.placeholder ?? (isList(setting) ? "Choose segments" : "Choose a segment")}
        error={errorSentence(errors) ?? first?.message}
        isDisabled={isDisabled}
      />
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
    </>
  );
}
