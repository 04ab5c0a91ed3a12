import { Group, Pill, Text } from "@mantine/core";
import type { Segment } from "@muster/protocol/api/segments";
import classes from "./segments.module.css";

/** What people noted about a segment; nothing when they noted nothing. */
export function SegmentNotes({ segment: { description, tags, folder } }: { segment: Segment }) {
  if (description === "" && tags.length === 0 && folder === "") return null;
  return (
    <Group gap="sm" className={classes.notes}>
      {folder === "" ? null : <Text c="dimmed">{folder} /</Text>}
      {description === "" ? null : <Text className={classes.description}>{description}</Text>}
      {tags.map((tag) => (
        <Pill key={tag}>{tag}</Pill>
      ))}
    </Group>
  );
}
