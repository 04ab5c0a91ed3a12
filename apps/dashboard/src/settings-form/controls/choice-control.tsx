import { ChoiceInput } from "../choice-input.js";
import { isList } from "../control-kind.js";
import type { ControlProps } from "../control-props.js";
import { errorSentence } from "../field-errors.js";
import { OfferedChoices } from "../offered-choices.js";
import type { Choice, Setting } from "../read-setting.js";

const YES_OR_NO: readonly Choice[] = [
  { value: true, label: "Yes" },
  { value: false, label: "No" },
];

/** A value of a list that the manifest gives, or that the connector offers. */
export function ChoiceControl({ setting, value, onChange, label, errors, isDisabled }: ControlProps) {
  const { options } = setting;
  const [first] = errors;
  const shared = {
    label,
    value,
    onChange: (chosen: unknown) => onChange(asDeclared(setting, chosen)),
    isMultiple: isList(setting),
    mayCreate: options.allowCreate,
    placeholder: options.placeholder,
    error: errorSentence(errors) ?? first?.message,
    isDisabled,
  };
  const own = [...options.standard, ...choicesOf(setting)];
  if (options.loadOptions === undefined) return <ChoiceInput {...shared} choices={own} />;
  return <OfferedChoices {...shared} path={options.loadOptions} own={own} />;
}

function choicesOf({ type, choices }: Setting): readonly Choice[] {
  return choices.length === 0 && type === "boolean" ? YES_OR_NO : choices;
}

/** Connectors offer numbers for settings that are texts. The server stores what the manifest declares. */
function asDeclared({ type, items }: Setting, chosen: unknown): unknown {
  const isText = type === "string" || (type === "array" && items?.type === "string");
  if (!isText || chosen === null) return chosen;
  return Array.isArray(chosen) ? chosen.map(String) : String(chosen);
}
