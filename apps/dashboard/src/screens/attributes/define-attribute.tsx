import { Button, Group, Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { AttributeFigure } from "@muster/protocol/api/attributes";
import { ATTRIBUTE_TYPES, type AttributeType } from "@muster/protocol/api/choices";
import { useState } from "react";
import { useDefineAttribute } from "../../api/audience/use-attributes.js";
import { TYPE_NAMES } from "../../filters/type-names.js";
import { Dialog } from "../../ui/notes/dialog.js";
import { notifyDone } from "../../ui/notes/notify-done.js";
import { ErrorNote } from "../../ui/page/error-note.js";

interface DefineAttributeProps {
  subjectType: SubjectType;
  known: readonly AttributeFigure[];
  opened: boolean;
  onClose: () => void;
}

const TYPES = ATTRIBUTE_TYPES.map((value) => ({ value, label: TYPE_NAMES[value] }));

/** Defines an attribute before the first record carries it, so that its type does not depend on the first value. */
export function DefineAttribute({ opened, onClose, ...form }: DefineAttributeProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={`Define an attribute of ${form.subjectType}s`}>
      <DefineForm {...form} onClose={onClose} />
    </Dialog>
  );
}

function DefineForm({ subjectType, known, onClose }: Omit<DefineAttributeProps, "opened">) {
  const [name, setName] = useState("");
  const [type, setType] = useState<AttributeType>("string");
  const [isServerOnly, setServerOnly] = useState(false);
  const define = useDefineAttribute(subjectType);
  const wanted = name.trim();
  const namesake = known.find((one) => one.name === wanted || one.key === wanted);
  const problem = namesake
    ? namesake.standard
      ? `${namesake.name} is a standard field: it is defined already.`
      : `${namesake.name} is defined already, as ${TYPE_NAMES[namesake.type].toLowerCase()}.`
    : undefined;
  // The dialog may be closed meanwhile. The callbacks of `mutate` would not be called then; its error is shown in the form.
  const save = () =>
    define.mutateAsync({ name: wanted, type, ...(isServerOnly ? { server_only: true } : {}) }).then(
      () => {
        notifyDone(`${wanted} is defined`);
        onClose();
      },
      () => undefined,
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Stack>
        <TextInput
          label="Name"
          description="What is before a slash is the group, as in crm/stage."
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          maxLength={256}
          error={problem}
          data-autofocus
        />
        <Select
          label="Type"
          description="No record changes it. Values that do not fit are refused."
          data={TYPES}
          value={type}
          allowDeselect={false}
          onChange={(value) => setType(ATTRIBUTE_TYPES.find((one) => one === value) ?? type)}
        />
        <Switch
          label="Server-only: pages and tokens of end users cannot write it"
          checked={isServerOnly}
          onChange={({ currentTarget }) => setServerOnly(currentTarget.checked)}
        />
        <Text c="dimmed">
          An attribute that nobody defines gets the type of the first value that arrives. Define it to decide that
          yourself, and to build segments before the first record.
        </Text>
        {define.error ? <ErrorNote error={define.error} /> : null}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={wanted === "" || problem !== undefined} loading={define.isPending}>
            Define attribute
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
