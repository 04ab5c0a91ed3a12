import { Stack, Title } from "@mantine/core";
import { useSession } from "../../../api/session/use-session.js";
import { EmptyState } from "../../../ui/page/empty-state.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { PasswordForm } from "./password-form.js";
import { ProfileForm } from "./profile-form.js";
import { SessionList } from "./session-list.js";

/** The person's own name, password and browsers. */
export default function AccountPart() {
  const { data: session, error, refetch } = useSession();
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!session) return null;
  const { member } = session;
  if (!member) {
    return (
      <EmptyState title="You use the admin token">
        It belongs to the server and not to a person, so there is no name, password or session here.
      </EmptyState>
    );
  }
  return (
    <Stack gap="xl" maw={820}>
      <section>
        <Title order={2} mb="xs">
          You
        </Title>
        <ProfileForm member={member} />
      </section>
      <section>
        <Title order={2} mb="xs">
          {member.has_password ? "Change your password" : "Choose a password"}
        </Title>
        <PasswordForm hasPassword={member.has_password} />
      </section>
      <section>
        <Title order={2} mb="xs">
          Where you are signed in
        </Title>
        <SessionList />
      </section>
    </Stack>
  );
}
