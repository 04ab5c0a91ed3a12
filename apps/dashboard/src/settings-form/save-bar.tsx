import { Button, Group, Text } from "@mantine/core";
import { formatCount } from "../ui/text/format.js";
import classes from "./settings-form.module.css";

interface SaveBarProps {
  changes: number;
  isSaving: boolean;
  onSave: () => void;
  onDiscard: () => void;
}

/** Says how many changes are not saved, and saves them. */
export function SaveBar({ changes, isSaving, onSave, onDiscard }: SaveBarProps) {
  if (changes === 0) return null;
  return (
    <div className={classes.bar}>
      <Group gap="xs">
        <Button onClick={onSave} loading={isSaving}>
          Save settings
        </Button>
        <Button variant="default" onClick={onDiscard} disabled={isSaving}>
          Discard
        </Button>
      </Group>
      <Text>{formatCount(changes, "unsaved change")}</Text>
    </div>
  );
}
