import { Button, Group, Select, Stack, Textarea, TextInput } from "@mantine/core";
import type { AttributeState } from "@muster/protocol/api/history";
import { useState } from "react";
import { useWriteAttributes } from "../../../api/audience/use-subject.js";
import { useMay } from "../../../api/session/use-organization.js";
import { notifyWhenDone } from "../../../ui/notes/notify-done.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { readTyped, textOf } from "./typed-value.js";

/** Writes a value by hand. A record that arrives later may replace it, as it would replace any other value. */
export function EditValue({ id, attribute }: { id: string; attribute: AttributeState }) {
  const [isOpen, setOpen] = useState(false);
  const mayEdit = useMay("editor");
  if (isOpen) return <EditForm id={id} attribute={attribute} onClose={() => setOpen(false)} />;
  return (
    <Group>
      <Button variant="default" disabled={!mayEdit} onClick={() => setOpen(true)}>
        Edit the value
      </Button>
    </Group>
  );
}

function EditForm({ id, attribute, onClose }: { id: string; attribute: AttributeState; onClose: () => void }) {
  const { name, type, value } = attribute;
  const [text, setText] = useState(textOf(value));
  const writing = useWriteAttributes(id);
  const typed = readTyped(type, text);
  // The new value may close the form before the answer is here.
  const write = (next: unknown, done: string) =>
    notifyWhenDone(writing.mutateAsync({ [name]: next }, { onSuccess: onClose }), done);
  return (
    <form
      aria-label={`Edit ${name}`}
      onSubmit={(event) => {
        event.preventDefault();
        if ("value" in typed) write(typed.value, `${name} is written`);
      }}
    >
      <Stack gap="xs">
        <ValueInput
          type={type}
          text={text}
          onChange={setText}
          problem={"problem" in typed ? typed.problem : undefined}
        />
        {writing.error ? <ErrorNote error={writing.error} /> : null}
        <Group justify="space-between">
          <Button
            variant="subtle"
            color="red"
            disabled={value === null}
            onClick={() => write(null, `${name} has no value any more`)}
          >
            Remove the value
          </Button>
          <Group gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={"problem" in typed} loading={writing.isPending}>
              Write the value
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}

interface ValueInputProps {
  type: AttributeState["type"];
  text: string;
  onChange: (text: string) => void;
  problem: string | undefined;
}

function ValueInput({ type, text, onChange, problem }: ValueInputProps) {
  // What is not typed yet is no mistake.
  const error = text === "" ? undefined : problem;
  if (type === "boolean") {
    return (
      <Select
        label="New value"
        allowDeselect={false}
        value={text || null}
        onChange={(chosen) => onChange(chosen ?? "")}
        data={[
          { value: "true", label: "Yes" },
          { value: "false", label: "No" },
        ]}
      />
    );
  }
  const isLong = type === "json" || type === "array";
  const Input = isLong ? Textarea : TextInput;
  return (
    <Input
      label="New value"
      value={text}
      error={error}
      data-autofocus
      onChange={({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value)}
    />
  );
}
