import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { HOUR_MS } from "@muster/protocol";
import type { Connector } from "@muster/protocol/api/connectors";
import { type FormEvent, useState } from "react";
import type { WriteRange } from "../../../api/jobs/use-undo.js";
import { Undoing } from "../../../jobs/undoing.js";
import { localText } from "../../../ui/form/local-text.js";
import { formatTime } from "../../../ui/text/format.js";

interface UndoWritesProps {
  connector: Connector;
  onClose: () => void;
}

/** Takes back what a connector wrote in a range of time: it asks for the range, says what would happen, and asks again. */
export default function UndoWrites({ connector, onClose }: UndoWritesProps) {
  const [from, setFrom] = useState(() => localText(Date.now() - HOUR_MS));
  const [to, setTo] = useState("");
  const [range, setRange] = useState<WriteRange>();
  if (range) {
    const about = `What ${connector.name} wrote from ${formatTime(range.from)} to ${formatTime(range.to)}`;
    return <Undoing id={connector.id} range={range} about={about} title="Undo these writes" onClose={onClose} />;
  }
  const isBackwards = to !== "" && to < from;
  const look = (event: FormEvent) => {
    event.preventDefault();
    // The end is fixed now: what is undone is what the preview counts.
    setRange({ from: isoTime(from), to: to === "" ? new Date().toISOString() : isoTime(to) });
  };
  return (
    <Stack component="form" onSubmit={look}>
      <Text>
        Values return to what they were, unless others have written them since. You see what would happen first.
      </Text>
      <TextInput
        type="datetime-local"
        step={1}
        label="From"
        description="When the first of its writes came."
        required
        value={from}
        onChange={({ currentTarget: { value } }) => setFrom(value)}
      />
      <TextInput
        type="datetime-local"
        step={1}
        label="To"
        description="When the last of them came. Empty for now."
        value={to}
        error={isBackwards ? "It is before the beginning." : undefined}
        onChange={({ currentTarget: { value } }) => setTo(value)}
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" disabled={from === "" || isBackwards}>
          Look what would happen
        </Button>
      </Group>
    </Stack>
  );
}

function isoTime(local: string): string {
  return new Date(local).toISOString();
}
