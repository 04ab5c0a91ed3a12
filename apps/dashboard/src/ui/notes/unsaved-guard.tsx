import { Button, Group, Stack, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { Dialog } from "./dialog.js";

interface UnsavedGuardProps {
  hasChanges: boolean;
  /** The values in the address that the form itself changes. */
  inside?: readonly string[];
}

/** Asks before somebody leaves a page with changes that are not saved. */
export function UnsavedGuard({ hasChanges, inside = [] }: UnsavedGuardProps) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => hasChanges && !isInside(current, next, inside),
    enableBeforeUnload: hasChanges,
    withResolver: true,
  });
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

interface Place {
  pathname: string;
  search: Readonly<Record<string, unknown>>;
}

function isInside(current: Place, next: Place, inside: readonly string[]): boolean {
  const keys = [...Object.keys(current.search), ...Object.keys(next.search)];
  const changed = keys.filter((key) => current.search[key] !== next.search[key]);
  return current.pathname === next.pathname && changed.length > 0 && changed.every((key) => inside.includes(key));
}
