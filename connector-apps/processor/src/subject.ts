import {
  type AccountUpdateMessage,
  type SegmentRecord,
  type SubjectType,
  type UserUpdateMessage,
  withoutUserAttributePrefix,
} from "@muster/protocol";
import type { SandboxSubject, ScriptInput } from "@muster/sandbox";

/** The user or account that a script runs for, and what the script reads. */
export interface ScriptSubject {
  subjectType: SubjectType;
  id: string;
  own: SandboxSubject;
  /** The current attributes, by the names that `traits` uses. */
  attributes: Readonly<Record<string, unknown>>;
  input: ScriptInput;
}

export function userSubject(message: UserUpdateMessage): ScriptSubject {
  const { user, account, segments, account_segments, changes, events } = message;
  return {
    subjectType: "user",
    id: user.id,
    own: { user: { id: user.id } },
    attributes: Object.fromEntries(
      Object.entries(user).map(([name, value]) => [withoutUserAttributePrefix(name), value]),
    ),
    input: {
      user,
      account,
      segments: idsAndNames(segments),
      account_segments: idsAndNames(account_segments),
      changes,
      events,
    },
  };
}

export function accountSubject(message: AccountUpdateMessage): ScriptSubject {
  const { account, account_segments, changes } = message;
  const segments = idsAndNames(account_segments);
  return {
    subjectType: "account",
    id: account.id,
    own: { account: { id: account.id } },
    attributes: account,
    input: { account, segments, account_segments: segments, changes },
  };
}

function idsAndNames(segments: readonly SegmentRecord[]): { id: string; name: string }[] {
  return segments.map(({ id, name }) => ({ id, name }));
}
