import { Text, Title } from "@mantine/core";
import { memo } from "react";
import { Markdown } from "../ui/code/markdown.js";
import { TextImage } from "./connector-image.js";
import { Control } from "./control.js";
import { controlKind } from "./control-kind.js";
import type { ControlProps } from "./control-props.js";
import type { FormField } from "./form-sections.js";
import classes from "./settings-form.module.css";

interface SettingFieldProps extends Omit<ControlProps, "setting" | "label" | "onChange"> {
  field: FormField;
  onChange: (field: FormField, value: unknown) => void;
}

/** A setting with its title and description. A form has many: one that did not change is not drawn again. */
export const SettingField = memo(function SettingField({ field, onChange, ...props }: SettingFieldProps) {
  const { setting } = field;
  const { value } = props;
  const { title, description, isRequired } = setting;
  const kind = controlKind(setting, value);
  if (kind === "heading") {
    return (
      <div className={classes.heading}>
        <Title order={3}>{title}</Title>
        {description === undefined ? null : <Markdown text={description} Image={TextImage} />}
      </div>
    );
  }
  return (
    <div className={classes.field} data-wide={isWide(kind) || undefined} data-setting={setting.name}>
      <div className={classes.about}>
        <Text fw={500} component="div">
          <span>{title}</span>
          {isRequired ? <span className={classes.required}>required</span> : null}
        </Text>
        {description === undefined ? null : <Markdown text={description} isSmall Image={TextImage} />}
      </div>
      <div className={classes.control}>
        <Control {...props} setting={setting} label={title} onChange={(changed) => onChange(field, changed)} />
      </div>
    </div>
  );
});

/** Controls that need the whole width. */
function isWide(kind: string): boolean {
  return ["mapping", "table", "code", "json"].includes(kind);
}
