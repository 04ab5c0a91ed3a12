import { ActionIcon, Button, Group, Stack, Switch, Text, Textarea, TextInput } from "@mantine/core";
import type { JobObject } from "@muster/protocol/api/jobs";
import { ChevronDownIcon, ChevronRightIcon, PlusIcon, XIcon } from "@primer/octicons-react";
import { useState } from "react";
import { type ImportExtras, NO_EXTRAS, type SharedValue } from "./import-extras.js";

interface MoreOptionsProps {
  object: JobObject;
  extras: ImportExtras;
  onChange: (extras: ImportExtras) => void;
}

/** What most imports do without: values for every row, an event, a note, and a later time. */
export function MoreOptions({ object, extras, onChange }: MoreOptionsProps) {
  const [isOpen, setOpen] = useState(JSON.stringify(extras) !== JSON.stringify(NO_EXTRAS));
  const change = (part: Partial<ImportExtras>) => onChange({ ...extras, ...part });
  return (
    <Stack gap="sm" maw={640}>
      <Group>
        <Button
          variant="subtle"
          aria-expanded={isOpen}
          leftSection={isOpen ? <ChevronDownIcon size={14} /> : <ChevronRightIcon size={14} />}
          onClick={() => setOpen(!isOpen)}
        >
          More options
        </Button>
      </Group>
      {isOpen ? (
        <Stack gap="md" component="section" aria-label="More options">
          {object === "events" ? null : (
            <SharedValues values={extras.sharedValues} onChange={(sharedValues) => change({ sharedValues })} />
          )}
          {object === "users" ? (
            <Switch
              label="Record an “Imported User” event for each user"
              description="With the name and the note of the import, so that a segment can ask for it."
              checked={extras.emitsEvent}
              onChange={({ currentTarget }) => change({ emitsEvent: currentTarget.checked })}
            />
          ) : null}
          <Textarea
            label="Note"
            description="What the file is and where it comes from. It stays with the import."
            value={extras.description}
            onChange={({ currentTarget }) => change({ description: currentTarget.value })}
            maxLength={5_000}
            autosize
            minRows={1}
            maxRows={6}
          />
          <TextInput
            type="datetime-local"
            label="Begin at"
            description="In your time zone. Leave it empty to begin at once."
            value={extras.beginsAt}
            onChange={({ currentTarget }) => change({ beginsAt: currentTarget.value })}
            w={320}
          />
        </Stack>
      ) : null}
    </Stack>
  );
}

interface SharedValuesProps {
  values: readonly SharedValue[];
  onChange: (values: SharedValue[]) => void;
}

function SharedValues({ values, onChange }: SharedValuesProps) {
  const change = (index: number, part: Partial<SharedValue>) =>
    onChange(values.map((one, at) => (at === index ? { ...one, ...part } : one)));
  return (
    <Stack gap={6}>
      <Text fw={600}>Values for every row</Text>
      <Text c="dimmed" size="xs">
        A row with a value of its own keeps that. 12 becomes a number, true becomes yes; quotes make them text.
      </Text>
      {values.map((one, index) => (
        // A row has no identity besides its place.
        // biome-ignore lint/suspicious/noArrayIndexKey: the fields are controlled, so their place is all that matters.
        <Group key={index} gap="xs" wrap="nowrap">
          <TextInput
            aria-label={`Attribute ${index + 1}`}
            placeholder="Attribute"
            value={one.name}
            onChange={({ currentTarget }) => change(index, { name: currentTarget.value })}
            style={{ flex: 1 }}
          />
          <TextInput
            aria-label={`Value ${index + 1}`}
            placeholder="Value"
            value={one.value}
            onChange={({ currentTarget }) => change(index, { value: currentTarget.value })}
            style={{ flex: 1 }}
          />
          <ActionIcon
            color="gray"
            aria-label={`Remove attribute ${index + 1}`}
            onClick={() => onChange(values.filter((_, at) => at !== index))}
          >
            <XIcon size={14} />
          </ActionIcon>
        </Group>
      ))}
      <Group>
        <Button
          variant="default"
          leftSection={<PlusIcon size={14} />}
          onClick={() => onChange([...values, { name: "", value: "" }])}
        >
          Add a value
        </Button>
      </Group>
    </Stack>
  );
}
