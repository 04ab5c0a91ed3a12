import { Button, Group, Stack, TextInput } from "@mantine/core";
import type { Connector } from "@muster/protocol/api/connectors";
import { useEffect, useState } from "react";
import { useUpdateConnector } from "../../../api/connectors/use-connectors.js";
import { Dialog } from "../../../ui/notes/dialog.js";
import { notifyDone, notifyFailed } from "../../../ui/notes/notify-done.js";
import { ErrorNote } from "../../../ui/page/error-note.js";

interface RenameDialogProps {
  connector: Connector;
  opened: boolean;
  onClose: () => void;
}

/** Gives a connector another name, so that two of a kind can be told apart. */
export function RenameDialog({ connector, opened, onClose }: RenameDialogProps) {
  const before = connector.name;
  const [name, setName] = useState(before);
  const update = useUpdateConnector(connector.id);
  useEffect(() => {
    if (opened) setName(before);
  }, [opened, before]);
  const save = () =>
    update.mutate(
      { name: name.trim() },
      {
        onSuccess: () => {
          onClose();
          notifyDone(`The connector is now called ${name.trim()}`, () =>
            update.mutate({ name: before }, { onError: notifyFailed }),
          );
        },
      },
    );
  return (
    <Dialog opened={opened} onClose={onClose} title={`Rename ${before}`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <Stack>
          <TextInput
            label="Name"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            maxLength={200}
            data-autofocus
          />
          {update.error ? <ErrorNote error={update.error} /> : null}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={name.trim() === "" || name.trim() === before} loading={update.isPending}>
              Save name
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
