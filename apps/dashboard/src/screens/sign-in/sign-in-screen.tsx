import { Button, Code, Divider, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useRouter, useSearch } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useMailLink, useSignIn, useSignInOptions } from "../../api/session/use-sign-in.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { localAddress } from "./local-address.js";
import { SignInFrame } from "./sign-in-frame.js";

/** Signing in with a password, with a link by mail, or with one from the command line. */
export function SignInScreen() {
  const { to } = useSearch({ strict: false });
  const router = useRouter();
  const options = useSignInOptions();
  const signIn = useSignIn();
  const mail = useMailLink();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");

  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate({ email, password }, { onSuccess: () => router.history.push(localAddress(to)) });
  };

  return (
    <SignInFrame title="Sign in">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            size="sm"
            value={email}
            onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            size="sm"
            value={password}
            onChange={({ currentTarget }) => setPassword(currentTarget.value)}
          />
          {signIn.error ? <ErrorNote error={signIn.error} /> : null}
          <Button type="submit" size="sm" loading={signIn.isPending}>
            Sign in
          </Button>
        </Stack>
      </form>
      {options.data?.mail ? (
        <>
          <Divider label="or" />
          <Button
            variant="default"
            size="sm"
            disabled={!email.includes("@")}
            loading={mail.isPending}
            onClick={() => mail.mutate(email)}
          >
            Mail me a link
          </Button>
          {mail.data ? <Text role="status">{mail.data.message}</Text> : null}
          {mail.error ? <ErrorNote error={mail.error} /> : null}
        </>
      ) : null}
      <Divider />
      <Text c="dimmed">You run this server? This command prints a link that signs you in:</Text>
      <Code block>muster sign-in</Code>
    </SignInFrame>
  );
}
