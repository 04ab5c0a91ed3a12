import { Group, Switch, TextInput } from "@mantine/core";
import type { JobObject } from "@muster/protocol/api/jobs";

export interface ImportSwitches {
  overwrite: boolean;
  notify: boolean;
}

interface ImportOptionsProps {
  object: JobObject;
  switches: ImportSwitches;
  onSwitches: (switches: ImportSwitches) => void;
  eventName: string;
  onEventName: (name: string) => void;
  hasEventColumn: boolean;
}

/** What holds for all rows of an import. */
export function ImportOptions(props: ImportOptionsProps) {
  const { object, switches, onSwitches, eventName, onEventName, hasEventColumn } = props;
  return (
    <Group gap="lg" align="flex-end">
      {object === "events" && !hasEventColumn ? (
        <TextInput
          label="Name of all events"
          description="No column has the name of the event."
          value={eventName}
          onChange={({ currentTarget }) => onEventName(currentTarget.value)}
          w={240}
        />
      ) : null}
      {object === "events" ? null : (
        <Switch
          label="Replace values that are there already"
          checked={switches.overwrite}
          onChange={({ currentTarget }) => onSwitches({ ...switches, overwrite: currentTarget.checked })}
        />
      )}
      <Switch
        label="Tell connectors about each row"
        checked={switches.notify}
        onChange={({ currentTarget }) => onSwitches({ ...switches, notify: currentTarget.checked })}
      />
    </Group>
  );
}
