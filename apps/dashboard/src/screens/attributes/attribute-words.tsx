import { Textarea, TextInput } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { AttributeFigure } from "@muster/protocol/api/attributes";
import { useState } from "react";
import { useChangeAttribute } from "../../api/audience/use-attributes.js";
import { useMay } from "../../api/session/use-organization.js";
import { SaveForm } from "../../ui/form/save-form.js";
import { notifyWhenDone } from "../../ui/notes/notify-done.js";

interface AttributeWordsProps {
  attribute: AttributeFigure;
  subjectType: SubjectType;
}

/** How people call an attribute, and what it means. Its name stays, because clients write it and segments ask for it. */
export function AttributeWords({ attribute, subjectType }: AttributeWordsProps) {
  const [label, setLabel] = useState(attribute.label);
  const [description, setDescription] = useState(attribute.description);
  const changing = useChangeAttribute(subjectType);
  const mayEdit = useMay("editor");
  const isChanged = label !== attribute.label || description !== attribute.description;
  const save = () => {
    const flags = { label: label.trim(), description: description.trim() };
    notifyWhenDone(changing.mutateAsync({ name: attribute.name, flags }), `${attribute.name} is described`);
  };
  return (
    <SaveForm saveLabel="Save" onSave={save} saving={changing} isDisabled={!isChanged || !mayEdit} gap="xs">
      <TextInput
        label="Called"
        description="How people call it. Senders and segments keep the name."
        placeholder={attribute.name}
        maxLength={200}
        value={label}
        onChange={({ currentTarget }) => setLabel(currentTarget.value)}
      />
      <Textarea
        label="Description"
        autosize
        maxLength={2_000}
        value={description}
        onChange={({ currentTarget }) => setDescription(currentTarget.value)}
      />
    </SaveForm>
  );
}
