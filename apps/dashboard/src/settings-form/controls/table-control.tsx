import { Stack } from "@mantine/core";
import { asObject } from "../../ui/code/json-parts.js";
import type { ControlProps } from "../control-props.js";
import { errorSentence, errorsAt } from "../field-errors.js";
import { useFormContext } from "../form-context.js";
import classes from "../list.module.css";
import { PartFields } from "../part-fields.js";
import type { Setting } from "../read-setting.js";
import { RowActions } from "../row-actions.js";
import { moveRow, newRow, removeRow, replaceRow } from "../rows.js";
import { RowsEnd } from "../rows-end.js";

const MOST_COLUMNS = 4;

/** A list of rows with columns, or of plain values. */
export function TableControl({ setting, value, onChange, label, errors, isDisabled }: ControlProps) {
  const { items, options } = setting;
  const rows: unknown[] = Array.isArray(value) ? value : [];
  if (!items) return null;
  return (
    <Stack gap="xs">
      <div>
        {rows.map((row, index) => (
          // Rows have no id of their own, and two can be the same.
          // biome-ignore lint/suspicious/noArrayIndexKey: the cells show the row's values and keep none themselves
          <div key={index} className={classes.row}>
            <Row
              items={items}
              columns={Math.min(options.itemsPerRow ?? items.parts.length, MOST_COLUMNS)}
              setting={setting}
              value={row}
              label={`${label}, row ${index + 1}`}
              errors={errorsAt(errors, index)}
              isDisabled={isDisabled}
              onChange={(changed) => onChange(replaceRow(rows, index, changed))}
            />
            <RowActions
              name={`row ${index + 1} of ${label}`}
              index={index}
              count={rows.length}
              isDisabled={isDisabled}
              onMove={(to) => onChange(moveRow(rows, index, to))}
              onRemove={() => onChange(removeRow(rows, index))}
            />
          </div>
        ))}
      </div>
      <RowsEnd
        label={label}
        error={errorSentence(errors)}
        isDisabled={isDisabled}
        onAdd={() => onChange([...rows, newRow(items)])}
      />
    </Stack>
  );
}

function Row({ items, columns, ...props }: ControlProps & { items: Setting; columns: number }) {
  const { Control } = useFormContext();
  if (items.type !== "object") return <Control {...props} setting={items} />;
  // A row that is no object is shown as JSON, so that it stays.
  if (asObject(props.value) === undefined) return <Control {...props} setting={{ ...items, parts: [] }} />;
  return <PartFields {...props} parts={items.parts} columns={columns} />;
}
