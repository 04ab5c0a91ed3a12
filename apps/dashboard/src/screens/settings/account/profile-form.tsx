import { Button, Group, PasswordInput, Stack, TextInput } from "@mantine/core";
import type { Session } from "@muster/protocol/api/members";
import { type FormEvent, useState } from "react";
import { useChangeSelf } from "../../../api/members/use-own-account.js";
import { notifyWhenDone } from "../../../ui/notes/notify-done.js";
import { ErrorNote } from "../../../ui/page/error-note.js";

/** The name and the address. A new address needs the password, because it is what the person signs in with. */
export function ProfileForm({ member }: { member: NonNullable<Session["member"]> }) {
  const change = useChangeSelf();
  const [name, setName] = useState(member.name);
  const [email, setEmail] = useState(member.email);
  const [password, setPassword] = useState("");
  const hasNewEmail = email.trim() !== member.email;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = {
      name: name.trim(),
      ...(hasNewEmail ? { email: email.trim(), current_password: password } : {}),
    };
    notifyWhenDone(change.mutateAsync(body), "Your name and address are saved.");
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Group align="flex-end" gap="xs">
          <TextInput
            label="Name"
            required
            withAsterisk={false}
            maxLength={200}
            w={240}
            autoComplete="name"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <TextInput
            label="E-mail"
            type="email"
            required
            withAsterisk={false}
            w={260}
            autoComplete="email"
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
          {hasNewEmail && member.has_password ? (
            <PasswordInput
              label="Your password"
              required
              withAsterisk={false}
              w={200}
              autoComplete="current-password"
              value={password}
              onChange={({ currentTarget }) => setPassword(currentTarget.value)}
            />
          ) : null}
          <Button type="submit" loading={change.isPending} disabled={!hasNewEmail && name.trim() === member.name}>
            Save
          </Button>
        </Group>
        {change.error ? <ErrorNote error={change.error} /> : null}
      </Stack>
    </form>
  );
}
