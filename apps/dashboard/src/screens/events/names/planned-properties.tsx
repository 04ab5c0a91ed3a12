import { Button, Checkbox, CloseButton, Group, Select, Stack, TextInput } from "@mantine/core";
import { PROPERTY_TYPES } from "@muster/protocol/api/choices";
import type { PlannedProperty } from "@muster/protocol/api/events";
import { typeWords } from "../../../filters/type-names.js";

interface PlannedPropertiesProps {
  properties: readonly PlannedProperty[];
  onChange: (properties: readonly PlannedProperty[] | null) => void;
}

const TYPES = PROPERTY_TYPES.map((value) => ({ value, label: typeWords(value) }));

/** The type to begin a plan with, from the types that were seen, the most frequent first. */
export function typeSeen([type]: readonly string[]): PlannedProperty["type"] {
  return PROPERTY_TYPES.find((one) => one === type) ?? "string";
}

/** The properties that events of a name have. */
export function PlannedProperties({ properties, onChange }: PlannedPropertiesProps) {
  const change = (index: number, part: Partial<PlannedProperty>) =>
    onChange(properties.map((one, place) => (place === index ? { ...one, ...part } : one)));
  return (
    <Stack gap={6} role="group" aria-label="Planned properties">
      {properties.map((property, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the name changes while it is typed, and rows keep their order
        <Group key={index} gap="xs" wrap="nowrap">
          <TextInput
            aria-label={`Name of property ${index + 1}`}
            placeholder="Property"
            flex={1}
            maxLength={256}
            value={property.name}
            onChange={({ currentTarget }) => change(index, { name: currentTarget.value })}
          />
          <Select
            aria-label={`Type of property ${index + 1}`}
            w={120}
            allowDeselect={false}
            data={TYPES}
            value={property.type}
            onChange={(value) => change(index, { type: PROPERTY_TYPES.find((one) => one === value) ?? property.type })}
          />
          <Checkbox
            label="Required"
            checked={property.required}
            onChange={({ currentTarget }) => change(index, { required: currentTarget.checked })}
          />
          <CloseButton
            aria-label={`Remove property ${index + 1}`}
            onClick={() => onChange(properties.filter((_, place) => place !== index))}
          />
        </Group>
      ))}
      <Group gap="xs">
        <Button
          variant="default"
          size="xs"
          onClick={() => onChange([...properties, { name: "", type: "string", required: false, description: "" }])}
        >
          Add a property
        </Button>
        <Button variant="subtle" size="xs" onClick={() => onChange(null)}>
          Allow any properties
        </Button>
      </Group>
    </Stack>
  );
}
