import { Button, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import type { Purpose } from "@muster/protocol/api/purposes";
import { useState } from "react";
import { useConnectorNames } from "../../../api/connectors/use-connector-names.js";
import { usePurposeChanges, usePurposes } from "../../../api/organization/use-purposes.js";
import { useMay } from "../../../api/session/use-organization.js";
import { NameField } from "../../../ui/form/name-field.js";
import { SaveForm } from "../../../ui/form/save-form.js";
import { notifyOutcome, notifyWhenDone } from "../../../ui/notes/notify-done.js";
import { ErrorNote } from "../../../ui/page/error-note.js";

const NAME = /^[a-z0-9][a-z0-9_-]{0,49}$/;

/** What people agree to, and which connectors serve each purpose. */
export default function PurposesPart() {
  const { data: purposes, error, refetch } = usePurposes();
  const mayChange = useMay("owner");
  return (
    <Stack gap="lg" maw={760}>
      <Text>
        A purpose is something that people agree to, such as marketing. A connector that serves a purpose is told only
        about users who have agreed to it. Without purposes, connectors are told about everybody.
      </Text>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {purposes?.length === 0 ? <Text c="dimmed">There are no purposes yet.</Text> : null}
      {purposes?.map((purpose) => (
        <PurposeRow key={purpose.name} purpose={purpose} mayChange={mayChange} />
      ))}
      <AddPurpose mayChange={mayChange} />
    </Stack>
  );
}

function PurposeRow({ purpose, mayChange }: { purpose: Purpose; mayChange: boolean }) {
  const { name, description, attribute, connector_ids: ids } = purpose;
  const { save, remove } = usePurposeChanges();
  const names = useConnectorNames();
  const servedBy = ids.map((id) => names.get(id) ?? id).join(", ");
  const drop = () =>
    notifyOutcome(remove.mutateAsync(name), `The purpose ${name} is deleted`, () =>
      save.mutateAsync({ name, description }),
    );
  return (
    <Group justify="space-between" align="flex-start" wrap="nowrap">
      <div>
        <Title order={2}>{name}</Title>
        {description ? <Text>{description}</Text> : null}
        <Text c="dimmed">
          {servedBy ? `Served by ${servedBy}. ` : "No connector serves it. "}
          Attribute of users: {attribute}
        </Text>
      </div>
      <Button
        variant="default"
        aria-label={`Delete ${name}`}
        disabled={!mayChange || ids.length > 0}
        loading={remove.isPending}
        onClick={drop}
      >
        Delete
      </Button>
    </Group>
  );
}

function AddPurpose({ mayChange }: { mayChange: boolean }) {
  const { save } = usePurposeChanges();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const add = () => {
    const options = {
      onSuccess: () => {
        setName("");
        setDescription("");
      },
    };
    notifyWhenDone(save.mutateAsync({ name, description }, options), `The purpose ${name} is saved`);
  };
  return (
    <SaveForm saveLabel="Save purpose" onSave={add} saving={save} isDisabled={!mayChange || !NAME.test(name)} gap="sm">
      <Title order={2}>Add a purpose</Title>
      <NameField
        description="Lower-case letters, digits, _ and -. It cannot be changed later."
        placeholder="marketing"
        value={name}
        onChange={setName}
        error={name !== "" && !NAME.test(name) ? "Use lower-case letters, digits, _ and - only." : undefined}
        disabled={!mayChange}
        maxLength={50}
      />
      <TextInput
        label="Description"
        description="What people are asked to agree to."
        value={description}
        onChange={({ currentTarget }) => setDescription(currentTarget.value)}
        disabled={!mayChange}
        maxLength={1_000}
      />
      {mayChange ? null : <Text c="dimmed">Only owners may change purposes.</Text>}
    </SaveForm>
  );
}
