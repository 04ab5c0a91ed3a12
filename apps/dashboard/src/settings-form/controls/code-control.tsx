import { Text } from "@mantine/core";
import { CodeEditor } from "../../ui/code/code-editor.js";
import type { ControlProps } from "../control-props.js";
import { errorSentence } from "../field-errors.js";

export function CodeControl({ value, onChange, label, errors, isDisabled }: ControlProps) {
  const error = errorSentence(errors);
  return (
    <>
      <CodeEditor
        language="javascript"
        label={label}
        value={value === undefined || value === null ? "" : String(value)}
        isReadOnly={isDisabled}
        minHeight="8rem"
        onChange={onChange}
      />
      {error === undefined ? null : (
        <Text size="xs" c="var(--bad)">
          {error}
        </Text>
      )}
    </>
  );
}
