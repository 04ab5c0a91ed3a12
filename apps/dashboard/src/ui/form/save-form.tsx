import { Button, Group, type MantineSpacing, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { ErrorNote } from "../page/error-note.js";

interface SaveFormProps {
  /** The fields. */
  children: ReactNode;
  /** The words of the button that saves. */
  saveLabel: string;
  onSave: () => void;
  /** What the form saves with: it says whether that goes on, and why it was refused. */
  saving: { isPending: boolean; error: unknown };
  isDisabled?: boolean;
  /** Closes the form. Without it the form belongs to the page and cannot be left. */
  onCancel?: () => void;
  gap?: MantineSpacing;
}

/** Fields, the reason when saving was refused, and the buttons that save and cancel. */
export function SaveForm(props: SaveFormProps) {
  const { children, saveLabel, onSave, saving, isDisabled = false, onCancel, gap = "md" } = props;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isDisabled && !saving.isPending) onSave();
      }}
    >
      <Stack gap={gap}>
        {children}
        {saving.error ? <ErrorNote error={saving.error} /> : null}
        <Group justify="flex-end">
          {onCancel ? (
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          ) : null}
          <Button type="submit" disabled={isDisabled} loading={saving.isPending}>
            {saveLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
