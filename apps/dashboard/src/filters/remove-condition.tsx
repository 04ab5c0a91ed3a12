import { ActionIcon } from "@mantine/core";
import { XIcon } from "@primer/octicons-react";
import classes from "./clause-row.module.css";

interface RemoveConditionProps {
  /** What the condition is about. */
  label: string;
  isReadOnly: boolean;
  onRemove: () => void;
}

export function RemoveCondition({ label, isReadOnly, onRemove }: RemoveConditionProps) {
  if (isReadOnly) return null;
  return (
    <ActionIcon
      color="gray"
      c="dimmed"
      className={classes.remove}
      aria-label={`Remove the condition on ${label}`}
      onClick={onRemove}
    >
      <XIcon size={12} />
    </ActionIcon>
  );
}
