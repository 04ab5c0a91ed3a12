import { Alert, Button, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useOrganizationHost } from "../../api/session/use-organization-host.js";
import { ShellCode } from "../../ui/code/shell-code.js";

interface UnreachableNoteProps {
  /** What the server says about it. */
  children: ReactNode;
  isChecking: boolean;
  onCheck: () => void;
}

/** Nothing answers at the address of a connector: how to start it, and a way to look again. */
export function UnreachableNote({ children, isChecking, onCheck }: UnreachableNoteProps) {
  const host = useOrganizationHost();
  return (
    <Alert color="red" variant="light" role="alert" p="sm" mb="md">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text>{children}</Text>
        <Button variant="default" loading={isChecking} onClick={onCheck}>
          Check again
        </Button>
      </Group>
      <Text mt="xs">Start the connector in its folder, for this organization:</Text>
      <ShellCode text={`ORGANIZATIONS=${host} npm start`} />
      <Text>
        If it runs on another machine, this server must be able to reach it there, and it must listen on an address that
        others can reach (HOST=0.0.0.0).
      </Text>
    </Alert>
  );
}
