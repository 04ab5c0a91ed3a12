import "@mantine/core/styles/Notification.css";
import "@mantine/notifications/styles.css";
import { Button, Group, Text } from "@mantine/core";
import { Notifications, notifications } from "@mantine/notifications";
import { sentenceOf } from "../../api/api-error.js";
import { requestNotes } from "./note-request.js";

const CLOSE = { "aria-label": "Close the note" };

/** Says that a change was made, with a way to undo it. */
export function notifyDone(message: string, undo?: () => void): void {
  requestNotes();
  const id = notifications.show({
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text>{message}</Text>
        {undo ? (
          <Button
            variant="subtle"
            onClick={() => {
              notifications.hide(id);
              undo();
            }}
          >
            Undo
          </Button>
        ) : null}
      </Group>
    ),
    autoClose: 8_000,
    closeButtonProps: CLOSE,
  });
}

/** Says that a change could not be made, and why. */
export function notifyFailed(error: unknown): void {
  requestNotes();
  notifications.show({ message: sentenceOf(error), color: "red", autoClose: 12_000, closeButtonProps: CLOSE });
}

/** Where the notes appear. It is in this file so that whatever can show a note has already loaded it. */
export default function Notes() {
  return <Notifications position="bottom-right" limit={3} />;
}
