import { Button, Group, Text, Tooltip } from "@mantine/core";
import type { JoinedSegment } from "@muster/protocol/api/segments";
import { formatRelative, formatTime } from "../../../ui/text/format.js";
import { usePanel } from "../use-panel.js";

/** The segments that the subject is in. A click says why. */
export function SegmentChips({ segments }: { segments: readonly JoinedSegment[] }) {
  const [, openPanel] = usePanel();
  return (
    <Group gap={6} role="group" aria-label="Segments">
      {segments.length === 0 ? <Text c="dimmed">In no segment.</Text> : null}
      {segments.map(({ id, name, entered_at }) => (
        <Tooltip key={id} label={`In this segment since ${formatTime(entered_at)}. Click to see why.`}>
          <Button variant="light" size="compact-xs" radius="xl" onClick={() => openPanel({ kind: "why", about: id })}>
            {name}
            <Text component="span" size="xs" ml={6} opacity={0.85}>
              {formatRelative(entered_at)}
            </Text>
          </Button>
        </Tooltip>
      ))}
      <Button variant="subtle" size="compact-xs" onClick={() => openPanel({ kind: "why", about: "" })}>
        Why not in a segment…
      </Button>
    </Group>
  );
}
