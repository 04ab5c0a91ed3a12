import { Button, Text } from "@mantine/core";

interface RowsEndProps {
  label: string;
  /** What is wrong with the list as a whole. */
  error: string | undefined;
  isDisabled: boolean;
  onAdd: () => void;
}

/** The end of a list of rows: its problem, and the button that adds a row. */
export function RowsEnd({ label, error, isDisabled, onAdd }: RowsEndProps) {
  return (
    <>
      {error === undefined ? null : (
        <Text size="xs" c="var(--bad)">
          {error}
        </Text>
      )}
      <div>
        <Button variant="default" disabled={isDisabled} aria-label={`Add row to ${label}`} onClick={onAdd}>
          Add row
        </Button>
      </div>
    </>
  );
}
