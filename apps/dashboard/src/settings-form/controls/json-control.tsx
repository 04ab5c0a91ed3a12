import { Text } from "@mantine/core";
import { useState } from "react";
import { CodeEditor } from "../../ui/code/code-editor.js";
import type { ControlProps } from "../control-props.js";
import { errorSentence } from "../field-errors.js";

/** A value that has no control of its own, as JSON. */
export function JsonControl({ value, onChange, label, errors, isDisabled }: ControlProps) {
  const [draft, setDraft] = useState<{ text: string; value: unknown }>();
  const isOwn = draft !== undefined && JSON.stringify(draft.value) === JSON.stringify(value);
  const shown = isOwn ? draft.text : printed(value);
  const isWrong = isOwn && readJson(draft.text) === undefined;
  return (
    <>
      <CodeEditor
        language="json"
        label={label}
        value={shown}
        isReadOnly={isDisabled}
        minHeight="4rem"
        onChange={(text) => {
          const read = readJson(text);
          // A text that is no JSON yet stays in the editor, and the value stays what it was.
          const next = read ? read.value : value;
          setDraft({ text, value: next });
          if (read) onChange(next);
        }}
      />
      <Text size="xs" c={isWrong || errors.length > 0 ? "var(--bad)" : "dimmed"}>
        {isWrong ? "This is not JSON yet." : (errorSentence(errors) ?? "JSON")}
      </Text>
    </>
  );
}

function printed(value: unknown): string {
  return value === undefined ? "" : JSON.stringify(value, null, 2);
}

function readJson(text: string): { value: unknown } | undefined {
  if (text.trim() === "") return { value: null };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
