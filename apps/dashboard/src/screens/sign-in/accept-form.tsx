import { Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useRouter } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useSession } from "../../api/session/use-session.js";
import { useAcceptInvitation } from "../../api/session/use-sign-in.js";
import { ErrorNote } from "../../ui/page/error-note.js";

interface AcceptFormProps {
  token: string;
  email: string;
  /** Whether the address belongs to a member already, who keeps name and password. */
  isMember: boolean;
}

/** A new member chooses a name and a password. One who exists already shows that it is the same person. */
export function AcceptForm({ token, email, isMember }: AcceptFormProps) {
  const router = useRouter();
  const session = useSession();
  const accept = useAcceptInvitation();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const isSignedIn = isMember && session.data?.member?.email.toLowerCase() === email.toLowerCase();

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = { token, ...(isMember ? {} : { name }), ...(isSignedIn ? {} : { password }) };
    accept.mutate(body, { onSuccess: () => router.history.push("/") });
  };

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {isSignedIn ? <Text>You are signed in with this address.</Text> : null}
        {isMember ? null : (
          <TextInput
            label="Your name"
            autoComplete="name"
            required
            withAsterisk={false}
            maxLength={200}
            size="sm"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
        )}
        {isSignedIn ? null : (
          <PasswordInput
            label={isMember ? "Your password" : "Choose a password"}
            description={isMember ? "You are a member of another organization here already." : "10 characters or more"}
            autoComplete={isMember ? "current-password" : "new-password"}
            required
            withAsterisk={false}
            size="sm"
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          />
        )}
        {accept.error ? <ErrorNote error={accept.error} /> : null}
        <Button type="submit" size="sm" loading={accept.isPending}>
          Accept invitation
        </Button>
      </Stack>
    </form>
  );
}
