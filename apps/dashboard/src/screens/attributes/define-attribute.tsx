import { Select, Switch, Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { AttributeFigure } from "@muster/protocol/api/attributes";
import { ATTRIBUTE_TYPES, type AttributeType } from "@muster/protocol/api/choices";
import { useState } from "react";
import { useDefineAttribute } from "../../api/audience/use-attributes.js";
import { TYPE_NAMES } from "../../filters/type-names.js";
import { NameField } from "../../ui/form/name-field.js";
import { SaveForm } from "../../ui/form/save-form.js";
import { Dialog } from "../../ui/notes/dialog.js";
import { notifyWhenDone } from "../../ui/notes/notify-done.js";

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
  const save = () => {
    const attribute = { name: wanted, type, ...(isServerOnly ? { server_only: true } : {}) };
    notifyWhenDone(define.mutateAsync(attribute, { onSuccess: onClose }), `${wanted} is defined`);
  };
  return (
    <SaveForm
      saveLabel="Define attribute"
      onSave={save}
      saving={define}
      isDisabled={wanted === "" || problem !== undefined}
      onCancel={onClose}
    >
      <NameField
        description="What is before a slash is the group, as in crm/stage."
        value={name}
        onChange={setName}
        maxLength={256}
        error={problem}
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
    </SaveForm>
  );
}
