import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import { ErrorNote } from "../page/error-note.js";
import { Dialog } from "./dialog.js";

interface NameDialogProps {
  title: string;
  /** What is saved under the name. */
  description?: string;
  /** The words of the button. */
  saveLabel: string;
  /** The name that it has, if it has one. */
  before?: string;
  opened: boolean;
  onClose: () => void;
  onSave: (name: string) => Promise<unknown>;
}

/** Asks for the name of something that is saved. It stays open when saving is refused, with the reason. */
export function NameDialog({ title, description, saveLabel, before = "", opened, onClose, onSave }: NameDialogProps) {
  const [name, setName] = useState(before);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const isUnchanged = name.trim() === "" || name.trim() === before;
  useEffect(() => {
    if (!opened) return;
    setName(before);
    setError(undefined);
  }, [opened, before]);
  const save = async () => {
    setBusy(true);
    try {
      await onSave(name.trim());
      setName("");
      setError(undefined);
      onClose();
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog opened={opened} onClose={onClose} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isUnchanged && !isBusy) void save();
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
            <Button type="submit" disabled={isUnchanged} loading={isBusy}>
              {saveLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
