import { Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useChangeSelf } from "../../../api/members/use-own-account.js";
import { notifyWhenDone } from "../../../ui/notes/notify-done.js";
import { ErrorNote } from "../../../ui/page/error-note.js";

/** A new password. It signs the person out everywhere else. */
export function PasswordForm({ hasPassword }: { hasPassword: boolean }) {
  const change = useChangeSelf();
  const [current, setCurrent] = useState("");
  const [password, setPassword] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = { password, ...(hasPassword ? { current_password: current } : {}) };
    const clear = () => {
      setCurrent("");
      setPassword("");
    };
    const saved = change.mutateAsync(body, { onSuccess: clear });
    notifyWhenDone(saved, "The new password is saved. You are signed out in all other browsers.");
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text c="dimmed">
          {hasPassword
            ? "A new password signs you out in all other browsers."
            : "Until then you sign in by link alone. 10 characters or more."}
        </Text>
        <Group align="flex-end" gap="xs">
          {hasPassword ? (
            <PasswordInput
              label="Current password"
              required
              withAsterisk={false}
              w={240}
              autoComplete="current-password"
              value={current}
              onChange={({ currentTarget }) => setCurrent(currentTarget.value)}
            />
          ) : null}
          <PasswordInput
            label="New password"
            required
            withAsterisk={false}
            w={260}
            autoComplete="new-password"
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          />
          <Button type="submit" loading={change.isPending} disabled={password === ""}>
            Save password
          </Button>
        </Group>
        {change.error ? <ErrorNote error={change.error} /> : null}
      </Stack>
    </form>
  );
}
