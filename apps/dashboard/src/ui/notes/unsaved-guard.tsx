import { Button, Group, Stack, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { Dialog } from "./dialog.js";

/** Asks before somebody leaves a page with changes that are not saved. */
export function UnsavedGuard({ hasChanges }: { hasChanges: boolean }) {
  const blocker = useBlocker({ shouldBlockFn: () => hasChanges, enableBeforeUnload: hasChanges, withResolver: true });
  return (
    <Dialog opened={blocker.status === "blocked"} onClose={() => blocker.reset?.()} title="Changes are not saved">
      <Stack>
        <Text>When you leave this page, the changes that you have not saved are lost.</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => blocker.reset?.()}>
            Stay
          </Button>
          <Button color="red" onClick={() => blocker.proceed?.()}>
            Leave without saving
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
