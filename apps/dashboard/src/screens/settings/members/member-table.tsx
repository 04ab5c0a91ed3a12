import { Badge, Button, Group, Table, Text } from "@mantine/core";
import type { Member, Role } from "@muster/protocol/api/members";
import { useState } from "react";
import { useChangeRole, useRemoveMember } from "../../../api/members/use-members.js";
import { useMay, useOrganization } from "../../../api/session/use-organization.js";
import { useSession } from "../../../api/session/use-session.js";
import { ConfirmDialog } from "../../../ui/notes/confirm-dialog.js";
import { notifyOutcome } from "../../../ui/notes/notify-done.js";
import stacked from "../../../ui/table/stacked-table.module.css";
import { TimeText } from "../../../ui/text/time-text.js";
import { RoleSelect } from "./role-select.js";

/** The members of the organization. Owners change roles and remove members. */
export function MemberTable({ members }: { members: readonly Member[] }) {
  const mayManage = useMay("owner");
  const organization = useOrganization();
  const { data: session } = useSession();
  const changeRole = useChangeRole();
  const remove = useRemoveMember();
  const [leaving, setLeaving] = useState<Member>();

  const change = (member: Member, role: Role) => {
    const undo = () => changeRole.mutateAsync({ id: member.id, role: member.role });
    notifyOutcome(changeRole.mutateAsync({ id: member.id, role }), `${member.name} is now ${role}.`, undo);
  };

  return (
    <>
      <Table aria-label="Members" className={stacked.table}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th w={150}>Role</Table.Th>
            <Table.Th w={130}>Last sign-in</Table.Th>
            {mayManage ? (
              <Table.Th w={110}>
                <Text component="span" visibleFrom="xs" fw="inherit">
                  Access
                </Text>
              </Table.Th>
            ) : null}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {members.map((member) => (
            <Table.Tr key={member.id}>
              <Table.Td>
                <Group gap="xs">
                  <Text fw={500}>{member.name}</Text>
                  {member.id === session?.member?.id ? <Badge color="gray">you</Badge> : null}
                  {member.is_operator ? <Badge color="gray">runs the server</Badge> : null}
                </Group>
                <Text c="dimmed">{member.email}</Text>
              </Table.Td>
              <Table.Td>
                {mayManage ? (
                  <RoleSelect
                    label={`Role of ${member.name}`}
                    value={member.role}
                    onChange={(role) => change(member, role)}
                  />
                ) : (
                  member.role
                )}
              </Table.Td>
              <Table.Td data-label="Last sign-in">
                <TimeText time={member.last_signed_in_at} />
              </Table.Td>
              {mayManage ? (
                <Table.Td>
                  <Button variant="default" onClick={() => setLeaving(member)} aria-label={`Remove ${member.name}`}>
                    Remove
                  </Button>
                </Table.Td>
              ) : null}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <ConfirmDialog
        opened={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        title={`Remove ${leaving?.name ?? ""}?`}
        action="Remove member"
        onConfirm={() => remove.mutateAsync(leaving?.id ?? "")}
      >
        {leaving?.name} ({leaving?.email}) loses access to {organization.name} at once, in all browsers. What they have
        changed stays. To come back, they need a new invitation.
      </ConfirmDialog>
    </>
  );
}
