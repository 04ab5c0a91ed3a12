import { ActionIcon, Group } from "@mantine/core";
import { ArrowDownIcon, ArrowUpIcon, TrashIcon } from "@primer/octicons-react";

interface RowActionsProps {
  /** What the row is called, such as "row 2". */
  name: string;
  index: number;
  count: number;
  isDisabled: boolean;
  onMove: (to: number) => void;
  onRemove: () => void;
}

/** The buttons that move and remove a row. */
export function RowActions({ name, index, count, isDisabled, onMove, onRemove }: RowActionsProps) {
  return (
    <Group gap={2} wrap="nowrap">
      <ActionIcon
        color="gray"
        aria-label={`Move ${name} up`}
        disabled={isDisabled || index === 0}
        onClick={() => onMove(index - 1)}
      >
        <ArrowUpIcon size={14} />
      </ActionIcon>
      <ActionIcon
        color="gray"
        aria-label={`Move ${name} down`}
        disabled={isDisabled || index === count - 1}
        onClick={() => onMove(index + 1)}
      >
        <ArrowDownIcon size={14} />
      </ActionIcon>
      <ActionIcon color="gray" aria-label={`Remove ${name}`} disabled={isDisabled} onClick={onRemove}>
        <TrashIcon size={14} />
      </ActionIcon>
    </Group>
  );
}
