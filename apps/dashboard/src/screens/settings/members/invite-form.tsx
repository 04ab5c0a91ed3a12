import { Button, Code, Group, Stack, Text, TextInput } from "@mantine/core";
import type { Role } from "@muster/protocol/api/members";
import { type FormEvent, useState } from "react";
import { useInvite } from "../../../api/members/use-members.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { CopyText } from "../../../ui/text/copy-text.js";
import { RoleSelect } from "./role-select.js";

/** Invites somebody, and shows the link to hand over. It is shown only once. */
export function InviteForm() {
  const invite = useInvite();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate({ email, role }, { onSuccess: () => setEmail("") });
  };
  return (
    <Stack gap="sm">
      <form onSubmit={submit}>
        <Group align="flex-end" gap="xs">
          <TextInput
            label="E-mail"
            type="email"
            required
            withAsterisk={false}
            w={260}
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
          <RoleSelect label="Role" showsLabel value={role} onChange={setRole} />
          <Button type="submit" loading={invite.isPending}>
            Invite
          </Button>
        </Group>
      </form>
      {invite.error ? <ErrorNote error={invite.error} /> : null}
      {invite.data ? (
        <Stack gap={4} role="status">
          <Text>
            {invite.data.mailed
              ? `The invitation was mailed to ${invite.data.email}. You can also hand over this link, which works for seven days:`
              : `Hand this link to ${invite.data.email}. It works for seven days and is not shown again:`}
          </Text>
          <Group gap={4} wrap="nowrap">
            <Code aria-label="Link of the invitation">{invite.data.url}</Code>
            <CopyText text={invite.data.url} label="Copy link" />
          </Group>
        </Stack>
      ) : null}
    </Stack>
  );
}
