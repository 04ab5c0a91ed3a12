import { useEventChoices } from "../../api/connectors/use-setting-choices.js";
import { ChoiceInput } from "../choice-input.js";
import { isList } from "../control-kind.js";
import type { ControlProps } from "../control-props.js";
import { errorSentence } from "../field-errors.js";

/** One event or several, with the standard ones of the manifest first. */
export function EventsControl({ setting, value, onChange, label, errors, isDisabled }: ControlProps) {
  const { options } = setting;
  const { data: names = [] } = useEventChoices();
  const [first] = errors;
  return (
    <ChoiceInput
      label={label}
      value={value}
      onChange={onChange}
      choices={[...options.standard, ...names.map((name) => ({ value: name, label: name }))]}
      isMultiple={isList(setting)}
      mayCreate={options.allowCreate}
      placeholder={options.placeholder ?? (isList(setting) ? "Choose events" : "Choose an event")}
      error={errorSentence(errors) ?? first?.message}
      isDisabled={isDisabled}
    />
  );
}
