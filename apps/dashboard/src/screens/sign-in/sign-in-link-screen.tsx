import { Anchor, Button, Text } from "@mantine/core";
import { Link, useParams, useRouter, useSearch } from "@tanstack/react-router";
import { useLinkPreview, useSignInWithLink } from "../../api/session/use-sign-in.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { localAddress } from "./local-address.js";
import { SignInFrame } from "./sign-in-frame.js";

/** The page of a sign-in link. It needs a click: programs that check mails open every link in them. */
export function SignInLinkScreen() {
  const { token = "" } = useParams({ strict: false });
  const { to } = useSearch({ strict: false });
  const router = useRouter();
  const preview = useLinkPreview(token);
  const signIn = useSignInWithLink();
  const error = signIn.error ?? preview.error;
  return (
    <SignInFrame title="Sign in">
      {error ? (
        <>
          <ErrorNote error={error} />
          <Anchor component={Link} to="/sign-in">
            Sign in another way
          </Anchor>
        </>
      ) : preview.data ? (
        <>
          <Text>This link works once. It signs you in as {preview.data.email}.</Text>
          <Button
            size="sm"
            loading={signIn.isPending}
            onClick={() => signIn.mutate(token, { onSuccess: () => router.history.push(localAddress(to)) })}
          >
            Sign in as {preview.data.name}
          </Button>
        </>
      ) : (
        <Text c="dimmed">Checking the link…</Text>
      )}
    </SignInFrame>
  );
}
