import type { UserClaims } from "@muster/protocol";
import { attributeName } from "@muster/query";
import { sameValue } from "../attributes/attribute-values.js";
import type { AttributeRoster } from "../identity/attribute-roster.js";
import type { NamedHalf } from "../identity/halves.js";
import { normalise } from "../identity/identifiers.js";
import type { Roster } from "../identity/roster.js";
import { showAliases, showIdentifiers } from "../identity/shown-identifiers.js";
import type { Cell, Profile, Written } from "../profiles/profile.js";
import { ProfileSizes } from "../profiles/profile-size.js";
import { applyTraits, type TraitsContext } from "./apply-traits.js";

// What an entry does to a merged subject, it also does to the half that its claims name. So both halves stay what they would
// be without the merge. The subject has decided already what is refused, and who owns which identifier.

/** Shows the email and the domain that claims give as attributes of the half. */
export function showIdentifiersOfHalf(subject: Profile, claims: UserClaims, written: Written, roster: Roster): void {
  const named = roster.halves.named(subject);
  if (!named) return;
  noteWrites(named, ["email", "domain"], () => showIdentifiers(named.half.profile, claims, written, roster.halves));
}

export function showAliasesOfHalf(subject: Profile, aliases: UserClaims, written: Written, roster: Roster): void {
  const named = roster.halves.named(subject);
  if (!named) return;
  noteWrites(named, ["email", "domain"], () => showAliases(named.half.profile, aliases, written, roster.halves));
}

/** Applies the attributes of an entry, except those that the subject has refused. */
export function applyTraitsToHalf(
  subject: Profile,
  body: Record<string, unknown>,
  refused: ReadonlySet<string>,
  context: Omit<TraitsContext, "roster" | "onRefusal"> & { roster: Roster },
): void {
  const named = context.roster.halves.named(subject);
  if (!named) return;
  const accepted = Object.fromEntries(Object.entries(body).filter(([key]) => !refused.has(key)));
  const names = Object.keys(accepted).map((key) => attributeName(subject.subjectType, key));
  const roster = rosterOfHalf(subject, context.roster);
  noteWrites(named, names, () =>
    applyTraits(named.half.profile, accepted, { ...context, roster, onRefusal: () => undefined }),
  );
}

/** Links the half of a user to an account, as the user was linked. */
export function linkHalf(user: Profile, account: Profile, origin: string, at: number, users: Roster): void {
  const named = users.halves.named(user);
  if (!named) return;
  const { profile, undecided } = named.half;
  if (at < profile.linkedAt) return;
  const { accountId, linkedAt, accountOrigin } = profile;
  if (named.isDecided) undecided.link = undefined;
  else if ((accountOrigin ?? accountId) !== origin) undecided.link ??= { accountId, linkedAt, accountOrigin };
  profile.accountId = account.id;
  profile.accountOrigin = origin === account.id ? undefined : origin;
  profile.linkedAt = at;
  users.halves.touch(profile);
}

/** Keeps what the half had before an entry that may have meant another half. */
function noteWrites({ half, isDecided }: NamedHalf, names: readonly string[], write: () => void): void {
  const { profile, undecided } = half;
  const before = new Map<string, Cell | undefined>(names.map((name) => [name, profile.cells.get(name)]));
  write();
  for (const [name, cell] of before) {
    const now = profile.cells.get(name);
    if (now === cell) continue;
    if (isDecided) undecided.cells.delete(name);
    else if (!undecided.cells.has(name) && !sameValue(now?.value ?? null, cell?.value ?? null)) {
      undecided.cells.set(name, cell);
    }
  }
}

function rosterOfHalf(subject: Profile, roster: Roster): AttributeRoster {
  return {
    sizes: new ProfileSizes(),
    maxBytes: roster.maxBytes,
    touch: (profile) => roster.halves.touch(profile),
    noteChange: (profile) => roster.halves.touch(profile),
    isOfAnother: (_, kind, value) => roster.isOfAnother(subject, kind, value),
    claimIfFree: (_, kind, value) => subject.identifiers[kind]?.includes(normalise(kind, value)) === true,
  };
}
