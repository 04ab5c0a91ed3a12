import { Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useInvitationPreview } from "../../api/session/use-sign-in.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { AcceptForm } from "./accept-form.js";
import { SignInFrame } from "./sign-in-frame.js";

/** Accepting an invitation to an organization. */
export function InvitationScreen() {
  const { token = "" } = useParams({ strict: false });
  const { data, error } = useInvitationPreview(token);
  if (error) {
    return (
      <SignInFrame title="Invitation">
        <ErrorNote error={error} />
        <Text c="dimmed">Ask the person who invited you for a new one.</Text>
      </SignInFrame>
    );
  }
  if (!data) {
    return (
      <SignInFrame title="Invitation">
        <Text c="dimmed">Checking the invitation…</Text>
      </SignInFrame>
    );
  }
  return (
    <SignInFrame title={`Join ${data.organization}`}>
      <Text>
        {data.invited_by} invites {data.email} as {data.role}.
      </Text>
      <AcceptForm token={token} isMember={data.is_member} email={data.email} />
    </SignInFrame>
  );
}
