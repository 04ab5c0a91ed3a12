import { Text, Title } from "@mantine/core";
import { Markdown } from "../ui/code/markdown.js";
import { TextImage } from "./connector-image.js";
import type { FieldError } from "./field-errors.js";
import type { FormField, FormSection } from "./form-sections.js";
import { SettingField } from "./setting-field.js";
import type { SettingValues } from "./setting-values.js";
import classes from "./settings-form.module.css";

const NONE: readonly FieldError[] = [];

interface FormSectionFieldsProps {
  section: FormSection;
  values: SettingValues;
  stored: SettingValues;
  errors: ReadonlyMap<string, FieldError[]>;
  isDisabled: boolean;
  onChange: (field: FormField, value: unknown) => void;
}

/** One section of the form. A section that is not enabled yet is greyed, and says why. */
export function FormSectionFields({ section, values, stored, errors, isDisabled, onChange }: FormSectionFieldsProps) {
  const { title, description, isEnabled, fields } = section;
  return (
    <fieldset className={classes.section} data-locked={isEnabled ? undefined : true}>
      <legend className={classes.legend}>
        <Title order={2}>{title === "" ? "Settings" : title}</Title>
      </legend>
      {isEnabled ? null : (
        <Text c="var(--late)">Not available yet: the connector must accept its credentials first.</Text>
      )}
      {description === undefined ? null : <Markdown text={description} isSmall Image={TextImage} />}
      <div className={classes.fields}>
        {fields.map((field) => (
          <SettingField
            key={field.path}
            field={field}
            value={field.group && values[field.group][field.setting.name]}
            stored={field.group && stored[field.group][field.setting.name]}
            errors={errors.get(field.path) ?? NONE}
            isDisabled={isDisabled || !isEnabled}
            onChange={onChange}
          />
        ))}
      </div>
    </fieldset>
  );
}
