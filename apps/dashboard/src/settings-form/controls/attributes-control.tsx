import { useAttributeKeys } from "../../api/connectors/use-setting-choices.js";
import { attributeChoices } from "../attribute-choices.js";
import { ChoiceInput } from "../choice-input.js";
import { isList } from "../control-kind.js";
import type { ControlProps } from "../control-props.js";
import { errorSentence } from "../field-errors.js";

/** One attribute or several. */
export function AttributesControl({ setting, value, onChange, label, errors, isDisabled }: ControlProps) {
  const { options, format } = setting;
  const { data: keys = [] } = useAttributeKeys(format === "trait" ? "user" : "account");
  const [first] = errors;
  return (
    <ChoiceInput
      label={label}
      value={value}
      onChange={onChange}
      choices={[...options.standard, ...attributeChoices(keys, options.source)]}
      isMultiple={isList(setting)}
      mayCreate={options.allowCreate}
      placeholder={options.placeholder ?? (isList(setting) ? "Choose attributes" : "Choose an attribute")}
      error={errorSentence(errors) ?? first?.message}
      isDisabled={isDisabled}
    />
  );
}
