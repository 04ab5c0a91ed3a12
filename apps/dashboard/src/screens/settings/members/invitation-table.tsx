import { Button, Table, Text } from "@mantine/core";
import type { Invitation } from "@muster/protocol/api/members";
import { useWithdrawInvitation } from "../../../api/members/use-members.js";
import { useMay } from "../../../api/session/use-organization.js";
import { notifyOutcome } from "../../../ui/notes/notify-done.js";
import stacked from "../../../ui/table/stacked-table.module.css";
import { TimeText } from "../../../ui/text/time-text.js";

/** The invitations that were not accepted yet. */
export function InvitationTable({ invitations }: { invitations: readonly Invitation[] }) {
  const mayManage = useMay("owner");
  const withdraw = useWithdrawInvitation();
  // The table goes with its last invitation. The callbacks of `mutate` would not be called then.
  const end = ({ id, email }: Invitation) =>
    notifyOutcome(withdraw.mutateAsync(id), `The invitation of ${email} is withdrawn.`);
  return (
    <Table aria-label="Invitations" className={stacked.table}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Invited</Table.Th>
          <Table.Th w={150}>Role</Table.Th>
          <Table.Th w={130}>Ends</Table.Th>
          {mayManage ? <Table.Th w={110}>Invitation</Table.Th> : null}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {invitations.map((invitation) => (
          <Table.Tr key={invitation.id}>
            <Table.Td>
              <Text fw={500}>{invitation.email}</Text>
              <Text c="dimmed">
                by {invitation.invited_by}, <TimeText time={invitation.created_at} />
              </Text>
            </Table.Td>
            <Table.Td>{invitation.role}</Table.Td>
            <Table.Td data-label="Ends">
              <TimeText time={invitation.expires_at} />
            </Table.Td>
            {mayManage ? (
              <Table.Td>
                <Button
                  variant="default"
                  onClick={() => end(invitation)}
                  aria-label={`Withdraw the invitation of ${invitation.email}`}
                >
                  Withdraw
                </Button>
              </Table.Td>
            ) : null}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
