import { Autocomplete, Button, Group, Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { type DestinationAction, type Mapping, SYNC_MODE } from "../../../api/connectors/use-mappings.js";
import { useAttributeKeys, useEventChoices } from "../../../api/connectors/use-setting-choices.js";
import { FieldInput } from "./field-input.js";
import { triggerChoices, valueChoices } from "./value-choices.js";

interface MappingFormProps {
  connectorId: string;
  mapping: Mapping;
  action: DestinationAction | undefined;
  /** The properties of the events of the user who is shown. */
  properties: readonly string[];
  isDisabled: boolean;
  onChange: (mapping: Mapping) => void;
}

/** When an action runs, and a field for each part of what it sends. Fields that are optional and empty come on demand. */
export function MappingForm({ connectorId, mapping, action, properties, isDisabled, onChange }: MappingFormProps) {
  const { data: attributes = [] } = useAttributeKeys("user");
  const { data: events = [] } = useEventChoices();
  const [showsAll, setShowsAll] = useState(false);
  const fields = (action?.fields ?? []).filter(({ isHidden }) => !isHidden);
  const used = fields.filter(({ key, required }) => required === true || mapping.fields[key] !== undefined);
  const choices = valueChoices(attributes, properties);
  const setField = (key: string, value: unknown) => {
    const { [key]: _before, ...others } = mapping.fields;
    onChange({ ...mapping, fields: value === undefined ? others : { ...others, [key]: value } });
  };
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-end">
        <TextInput
          label="Name"
          value={mapping.name}
          disabled={isDisabled}
          onChange={({ currentTarget }) => onChange({ ...mapping, name: currentTarget.value })}
        />
        <Switch
          label="Switched on"
          checked={mapping.enabled}
          disabled={isDisabled}
          onChange={({ currentTarget }) => onChange({ ...mapping, enabled: currentTarget.checked })}
        />
      </Group>
      <Autocomplete
        label="Runs when"
        description="What happened, such as a change of the user, an event, or entering a chosen segment."
        data={triggerChoices(events)}
        value={mapping.trigger}
        disabled={isDisabled}
        onChange={(trigger) => onChange({ ...mapping, trigger })}
        limit={100}
      />
      {action ? null : <Text c="var(--bad)">The destination has no action "{mapping.action}" any more.</Text>}
      {action?.description ? <Text c="dimmed">{action.description}</Text> : null}
      {action?.stepOnSave === undefined ? null : (
        <Text c="var(--late)">
          Muster does not run the step “{action.stepOnSave}”, which this action has for the moment when a mapping is
          saved. What it makes or chooses at the service is missing when the action runs, and the service may refuse it.
        </Text>
      )}
      {action?.syncMode ? (
        <Select
          label={action.syncMode.label}
          description={action.syncMode.description}
          data={action.syncMode.choices}
          value={typeof mapping.fields[SYNC_MODE] === "string" ? mapping.fields[SYNC_MODE] : null}
          placeholder="As the destination does by itself"
          disabled={isDisabled}
          onChange={(mode) => setField(SYNC_MODE, mode ?? undefined)}
        />
      ) : null}
      {(showsAll ? fields : used).map((field) => (
        <FieldInput
          key={`${mapping.id} ${field.key}`}
          connectorId={connectorId}
          mapping={mapping}
          field={field}
          choices={choices}
          isDisabled={isDisabled}
          onChange={(value) => setField(field.key, value)}
        />
      ))}
      {!showsAll && used.length < fields.length ? (
        <Button variant="default" onClick={() => setShowsAll(true)}>
          Show {fields.length - used.length} more fields
        </Button>
      ) : null}
    </Stack>
  );
}
