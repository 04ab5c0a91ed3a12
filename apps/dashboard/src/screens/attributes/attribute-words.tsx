import { Button, Group, Stack, Textarea, TextInput } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import type { AttributeFigure } from "@muster/protocol/api/attributes";
import { useState } from "react";
import { useChangeAttribute } from "../../api/audience/use-attributes.js";
import { useMay } from "../../api/session/use-organization.js";
import { notifyDone } from "../../ui/notes/notify-done.js";
import { ErrorNote } from "../../ui/page/error-note.js";

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
  // The panel may be closed meanwhile. The callbacks of `mutate` would not be called then; its error is shown in the form.
  const save = () =>
    void changing
      .mutateAsync({ name: attribute.name, flags: { label: label.trim(), description: description.trim() } })
      .then(
        () => notifyDone(`${attribute.name} is described`),
        () => undefined,
      );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <Stack gap="xs">
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
        {changing.error ? <ErrorNote error={changing.error} /> : null}
        <Group justify="flex-end">
          <Button type="submit" variant="default" disabled={!isChanged || !mayEdit} loading={changing.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
