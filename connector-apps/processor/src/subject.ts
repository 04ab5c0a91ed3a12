import {
  type AccountUpdateMessage,
  type SegmentRecord,
  type UserUpdateMessage,
  withoutUserAttributePrefix,
} from "@muster/protocol";
import type { SandboxSubject, ScriptInput } from "@muster/sandbox";

/** Whom a script runs for, and what it reads. */
export interface ScriptSubject {
  kind: "user" | "account";
  id: string;
  own: SandboxSubject;
  /** The present attributes, by the names that `traits` uses. */
  attributes: Readonly<Record<string, unknown>>;
  input: ScriptInput;
}

export function userSubject(message: UserUpdateMessage): ScriptSubject {
  const { user, account, segments, account_segments, changes, events } = message;
  return {
    kind: "user",
    id: user.id,
    own: { user: { id: user.id } },
    attributes: Object.fromEntries(
      Object.entries(user).map(([name, value]) => [withoutUserAttributePrefix(name), value]),
    ),
    input: { user, account, segments: named(segments), account_segments: named(account_segments), changes, events },
  };
}

export function accountSubject(message: AccountUpdateMessage): ScriptSubject {
  const { account, account_segments, changes } = message;
  const segments = named(account_segments);
  return {
    kind: "account",
    id: account.id,
    own: { account: { id: account.id } },
    attributes: account,
    input: { account, segments, account_segments: segments, changes },
  };
}

function named(segments: readonly SegmentRecord[]): { id: string; name: string }[] {
  return segments.map(({ id, name }) => ({ id, name }));
}
