import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { ErrorNote } from "../page/error-note.js";
import { Dialog } from "./dialog.js";

interface NameDialogProps {
  title: string;
  /** What is saved under the name. */
  description?: string;
  /** The words of the button. */
  saveLabel: string;
  opened: boolean;
  onClose: () => void;
  onSave: (name: string) => Promise<unknown>;
}

/** Asks for the name of something that is saved. It stays open when saving is refused, with the reason. */
export function NameDialog({ title, description, saveLabel, opened, onClose, onSave }: NameDialogProps) {
  const [name, setName] = useState("");
  const [error, setError] = useState<unknown>();
  const save = async () => {
    try {
      await onSave(name.trim());
      setName("");
      setError(undefined);
      onClose();
    } catch (reason) {
      setError(reason);
    }
  };
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (name.trim() !== "") void save();
        }}
      >
        <Stack>
          <TextInput
            label="Name"
            description={description}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            maxLength={200}
            data-autofocus
          />
          {error === undefined ? null : <ErrorNote error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={name.trim() === ""}>
              {saveLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
