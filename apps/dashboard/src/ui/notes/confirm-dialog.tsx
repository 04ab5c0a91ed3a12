import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { ErrorNote } from "../page/error-note.js";
import { Dialog } from "./dialog.js";

interface ConfirmDialogProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** Exactly what will happen. */
  children: ReactNode;
  /** A verb and its object, such as "Delete segment". */
  action: string;
  /** The person must type this text first. For what cannot be undone. */
  typeToConfirm?: string | undefined;
  isDestructive?: boolean;
  /** What will happen is known. Nobody can confirm it before. */
  isReady?: boolean;
  onConfirm: () => Promise<unknown>;
}

/** Asks before something that cannot be undone. Everything else is done at once, with a way to undo it. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const {
    opened,
    onClose,
    title,
    children,
    action,
    typeToConfirm,
    isDestructive = true,
    isReady = true,
    onConfirm,
  } = props;
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const close = () => {
    setTyped("");
    setError(undefined);
    onClose();
  };
  const confirm = async () => {
    setBusy(true);
    try {
      await onConfirm();
      close();
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog opened={opened} onClose={close} title={title}>
      <Stack>
        <Text component="div">{children}</Text>
        {typeToConfirm === undefined ? null : (
          <TextInput
            label={`Type ${typeToConfirm} to confirm`}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            data-autofocus
          />
        )}
        {error === undefined ? null : <ErrorNote error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button
            color={isDestructive ? "red" : "accent"}
            loading={isBusy}
            disabled={!isReady || (typeToConfirm !== undefined && typed !== typeToConfirm)}
            onClick={() => void confirm()}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
