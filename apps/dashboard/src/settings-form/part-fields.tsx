import { Text } from "@mantine/core";
import { asObject } from "../ui/code/json-parts.js";
import type { ControlProps } from "./control-props.js";
import { errorsAt } from "./field-errors.js";
import { useFormContext } from "./form-context.js";
import classes from "./list.module.css";
import type { Setting } from "./read-setting.js";

type PartFieldsProps = Omit<ControlProps, "setting"> & { parts: readonly Setting[]; columns: number };

/** The parts of an object side by side, each with its title. Keys that are not declared stay as they are. */
export function PartFields({ parts, columns, value, onChange, label, errors, isDisabled }: PartFieldsProps) {
  const { Control } = useFormContext();
  const object = asObject(value) ?? {};
  return (
    <div className={classes.cells} data-columns={columns}>
      {parts.map((part) => (
        <div key={part.name}>
          <Text size="xs" c="dimmed" aria-hidden title={part.description}>
            {part.title}
            {part.isRequired ? " *" : ""}
          </Text>
          <Control
            setting={part}
            value={object[part.name]}
            label={`${label}: ${part.title}`}
            errors={errorsAt(errors, part.name)}
            isDisabled={isDisabled}
            onChange={(changed) => onChange({ ...object, [part.name]: changed })}
          />
        </div>
      ))}
    </div>
  );
}
