import { Stack, Text, Title } from "@mantine/core";
import { useInvitations, useMembers } from "../../../api/members/use-members.js";
import { useMay } from "../../../api/session/use-organization.js";
import { EmptyState } from "../../../ui/page/empty-state.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { InvitationTable } from "./invitation-table.js";
import { InviteForm } from "./invite-form.js";
import { MemberTable } from "./member-table.js";

/** Who may use the organization, and who is invited. */
export default function MembersPart() {
  const members = useMembers();
  const invitations = useInvitations();
  const mayManage = useMay("owner");
  return (
    <Stack gap="xl" maw={820}>
      {mayManage ? (
        <section>
          <Title order={2} mb="xs">
            Invite somebody
          </Title>
          <InviteForm />
        </section>
      ) : (
        <Text c="dimmed">Only owners invite people and change roles.</Text>
      )}
      <section>
        <Title order={2} mb="xs">
          Members
        </Title>
        {members.error ? <ErrorNote error={members.error} onRetry={() => void members.refetch()} /> : null}
        {members.data?.length === 0 ? (
          <EmptyState title="Nobody is a member yet">
            People who run the server can do everything here. Invite the others.
          </EmptyState>
        ) : null}
        {members.data?.length ? <MemberTable members={members.data} /> : null}
      </section>
      {invitations.error ? <ErrorNote error={invitations.error} onRetry={() => void invitations.refetch()} /> : null}
      {invitations.data?.length ? (
        <section>
          <Title order={2} mb="xs">
            Open invitations
          </Title>
          <InvitationTable invitations={invitations.data} />
        </section>
      ) : null}
    </Stack>
  );
}
