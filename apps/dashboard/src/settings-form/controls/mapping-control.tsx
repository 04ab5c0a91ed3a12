import { Stack, Switch, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useAttributeKeys } from "../../api/connectors/use-setting-choices.js";
import { attributeChoices, newAttributeKey } from "../attribute-choices.js";
import { ChoiceInput } from "../choice-input.js";
import type { ControlProps } from "../control-props.js";
import { errorSentence, errorsAt } from "../field-errors.js";
import classes from "../list.module.css";
import { OfferedChoices } from "../offered-choices.js";
import type { SettingOptions } from "../read-setting.js";
import { RowActions } from "../row-actions.js";
import { type MappingRow, mappingRows, moveRow, newMappingRow, removeRow, replaceRow } from "../rows.js";
import { RowsEnd } from "../rows-end.js";

/** Rows that pair an attribute with a field of the service. Data flows from left to right. */
export function MappingControl({ setting, value, onChange, label, errors, isDisabled }: ControlProps) {
  const { options, format } = setting;
  const subject = format === "accountTraitMapping" ? "account" : "user";
  const rows = mappingRows(value);
  return (
    <Stack gap="xs">
      <div>
        {rows.map((row, index) => (
          <MappingRowFields
            // Rows have no id of their own, and two can be the same.
            // biome-ignore lint/suspicious/noArrayIndexKey: the fields show the row's values and keep none themselves
            key={index}
            name={`${label}, row ${index + 1}`}
            row={row}
            options={options}
            subject={subject}
            isDisabled={isDisabled || row.readOnly === true}
            errorOf={(side) => errorSentence(errorsAt(errorsAt(errors, index), side))}
            onChange={(changed) => onChange(replaceRow(rows, index, changed))}
            actions={
              <RowActions
                name={`row ${index + 1} of ${label}`}
                index={index}
                count={rows.length}
                isDisabled={isDisabled || row.readOnly === true}
                onMove={(to) => onChange(moveRow(rows, index, to))}
                onRemove={() => onChange(removeRow(rows, index))}
              />
            }
          />
        ))}
      </div>
      {rows.length === 0 ? <Text c="dimmed">No fields are mapped yet.</Text> : null}
      <RowsEnd
        label={label}
        error={errorSentence(errors)}
        isDisabled={isDisabled}
        onAdd={() => onChange([...rows, newMappingRow()])}
      />
    </Stack>
  );
}

interface MappingRowFieldsProps {
  name: string;
  row: MappingRow;
  options: SettingOptions;
  subject: "user" | "account";
  isDisabled: boolean;
  errorOf: (side: "hull" | "service" | "overwrite") => string | undefined;
  onChange: (row: MappingRow) => void;
  actions: ReactNode;
}

function MappingRowFields(props: MappingRowFieldsProps) {
  const { name, row, options, subject, isDisabled, errorOf, onChange, actions } = props;
  const isIncoming = options.direction === "incoming";
  const { data: keys = [] } = useAttributeKeys(subject);
  const attribute = (
    <ChoiceInput
      label={`${name}: attribute`}
      value={row.hull}
      onChange={(hull) => onChange({ ...row, hull })}
      choices={attributeChoices(keys, isIncoming ? undefined : options.source)}
      isMultiple={false}
      // Data that comes in makes new attributes; data that goes out needs existing ones or an expression.
      mayCreate={isIncoming || options.allowExpression || options.allowCreate}
      create={(typed) => (isIncoming ? newAttributeKey(typed, subject, options.source) : typed)}
      placeholder="Attribute"
      error={errorOf("hull")}
      isDisabled={isDisabled}
    />
  );
  const fieldProps = {
    label: `${name}: field`,
    value: row.service,
    onChange: (service: unknown) => onChange({ ...row, service }),
    isMultiple: false,
    mayCreate: options.allowCreate || options.allowExpression || options.loadOptions === undefined,
    placeholder: options.placeholder ?? "Field of the service",
    error: errorOf("service"),
    isDisabled,
  };
  const field =
    options.loadOptions === undefined ? (
      <ChoiceInput {...fieldProps} choices={options.standard} />
    ) : (
      <OfferedChoices {...fieldProps} path={options.loadOptions} own={options.standard} />
    );
  return (
    <div className={classes.row}>
      <div className={classes.mapping}>
        <div>{isIncoming ? field : attribute}</div>
        <span className={classes.arrow} aria-hidden>
          →
        </span>
        <div>{isIncoming ? attribute : field}</div>
        {options.showOverwriteToggle ? (
          <Switch
            aria-label={`${name}: overwrite`}
            label="Overwrite"
            checked={row.overwrite === true || row.overwrite === "true"}
            error={errorOf("overwrite")}
            disabled={isDisabled}
            onChange={({ currentTarget }) => onChange({ ...row, overwrite: currentTarget.checked })}
          />
        ) : null}
      </div>
      {actions}
    </div>
  );
}
