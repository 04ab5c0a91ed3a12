import { Button, Group, Stack, Text } from "@mantine/core";
import type { DeadLetterDetails } from "@muster/protocol/api/dead-letters";
import { useMemo, useState } from "react";
import { discardDeadLetters, editDeadLetter, retryDeadLetters } from "../../../api/deliveries/use-dead-letters.js";
import { useRefreshDeliveries } from "../../../api/deliveries/use-deliveries.js";
import { useMay } from "../../../api/session/use-organization.js";
import { CodeEditor } from "../../../ui/code/code-editor.js";
import { ConfirmDialog } from "../../../ui/notes/confirm-dialog.js";
import { notifyDone } from "../../../ui/notes/notify-done.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import classes from "./deliveries.module.css";
import { readMessage } from "./read-message.js";

interface DeadLetterEditorProps {
  letter: DeadLetterDetails;
  connectorId: string;
  onDone: () => void;
}

/** The message of a dead letter as JSON: to change, to send again, to discard. */
export function DeadLetterEditor({ letter, connectorId, onDone }: DeadLetterEditorProps) {
  const stored = JSON.stringify(letter.message, null, 2);
  const [text, setText] = useState(stored);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [isDiscarding, setDiscarding] = useState(false);
  const mayChange = useMay("editor");
  const refresh = useRefreshDeliveries();
  const { message, problem } = useMemo(() => readMessage(text), [text]);
  const problems = useMemo(() => (problem ? [problem] : []), [problem]);
  const isEdited = text !== stored;
  const selection = { connector_id: connectorId, ids: [letter.id] };
  const send = async () => {
    setBusy(true);
    setError(undefined);
    try {
      if (isEdited && message) await editDeadLetter(letter.id, message);
      const count = await retryDeadLetters(selection);
      notifyDone(count === 1 ? "The message is in the queue again" : "Its user or account no longer exists");
      await refresh();
      onDone();
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Stack gap="xs">
      <Text component="h3" fw={600}>
        The message
      </Text>
      <Text c="dimmed">
        {isEdited
          ? "It will be sent exactly as it is here."
          : "When it is sent again, it has the user or account as it is then, unless you edit it."}
      </Text>
      <div className={classes.message}>
        <CodeEditor
          value={text}
          onChange={setText}
          language="json"
          label="The message"
          isReadOnly={!mayChange}
          problems={problems}
        />
      </div>
      {error === undefined ? null : <ErrorNote error={error} />}
      <Group>
        <Button onClick={() => void send()} loading={isBusy} disabled={!mayChange || message === undefined}>
          {isEdited ? "Save edit and retry" : "Retry 1 message"}
        </Button>
        {isEdited ? (
          <Button variant="default" onClick={() => setText(stored)}>
            Undo edit
          </Button>
        ) : null}
        <Button variant="default" disabled={!mayChange} onClick={() => setDiscarding(true)}>
          Discard
        </Button>
      </Group>
      <ConfirmDialog
        opened={isDiscarding}
        onClose={() => setDiscarding(false)}
        title="Discard 1 message"
        action="Discard 1 message"
        onConfirm={async () => {
          await discardDeadLetters(selection);
          notifyDone("1 message discarded");
          await refresh();
          onDone();
        }}
      >
        This message will be removed for good, and the connector will never get it. The user or account stays as it is.
      </ConfirmDialog>
    </Stack>
  );
}
