import { Badge, Button, Group, Stack, Table, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useEndSession, useOwnSessions, useSignOutEverywhere } from "../../../api/members/use-own-account.js";
import { ConfirmDialog } from "../../../ui/notes/confirm-dialog.js";
import { notifyOutcome } from "../../../ui/notes/notify-done.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import stacked from "../../../ui/table/stacked-table.module.css";
import { formatCount } from "../../../ui/text/format.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { describeBrowser } from "./describe-browser.js";

/** The browsers in which the person is signed in, with a way out of each and of all. */
export function SessionList() {
  const sessions = useOwnSessions();
  const end = useEndSession();
  const endAll = useSignOutEverywhere();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  if (sessions.error) return <ErrorNote error={sessions.error} onRetry={() => void sessions.refetch()} />;
  const all = sessions.data ?? [];
  return (
    <Stack gap="sm" align="flex-start">
      <Table aria-label="Sessions" className={stacked.table}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Browser</Table.Th>
            <Table.Th w={150}>Address</Table.Th>
            <Table.Th w={130}>Last used</Table.Th>
            <Table.Th w={110}>Session</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {all.map((session) => (
            <Table.Tr key={session.id}>
              <Table.Td title={session.user_agent}>
                <Group gap="xs">
                  {describeBrowser(session.user_agent)}
                  {session.current ? <Badge color="gray">this one</Badge> : null}
                </Group>
              </Table.Td>
              <Table.Td>{session.address}</Table.Td>
              <Table.Td data-label="Last used">
                <TimeText time={session.last_seen_at} />
              </Table.Td>
              <Table.Td>
                {session.current ? (
                  <Text c="dimmed">in use</Text>
                ) : (
                  <Button
                    variant="default"
                    aria-label={`Sign out in ${describeBrowser(session.user_agent)} at ${session.address}`}
                    onClick={() => notifyOutcome(end.mutateAsync(session.id), "Signed out there.")}
                  >
                    Sign out
                  </Button>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Button variant="default" onClick={() => setAsking(true)}>
        Sign out everywhere
      </Button>
      <ConfirmDialog
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Sign out everywhere?"
        action="Sign out everywhere"
        onConfirm={async () => {
          await endAll.mutateAsync();
          await navigate({ to: "/sign-in" });
        }}
      >
        {formatCount(all.length, "session")} will end at once, also the one in this browser. You then sign in again.
      </ConfirmDialog>
    </Stack>
  );
}
