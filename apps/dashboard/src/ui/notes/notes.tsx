import "@mantine/core/styles/Notification.css";
import "@mantine/notifications/styles.css";
import { Button, Group, Text } from "@mantine/core";
import { Notifications, notifications } from "@mantine/notifications";

const CLOSE = { "aria-label": "Close the note" };

/** Shows that a change was made, with a way to undo it. */
export function showDone(message: string, undo?: () => void): void {
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

/** Shows that a change could not be made, and why. */
export function showFailed(message: string): void {
  notifications.show({ message, color: "red", autoClose: 12_000, closeButtonProps: CLOSE });
}

/** Where the notes appear. */
export default function Notes() {
  return <Notifications position="bottom-right" limit={3} />;
}
