import type { UserClaims } from "@muster/protocol";
import type { Profile, Written } from "../profiles/profile.js";
import type { ChangeListener } from "./attribute-roster.js";
import { normalise } from "./identifiers.js";
import { outranks, startingValue } from "./proof.js";
import type { Roster } from "./roster.js";

/** The identifiers that are attributes too: reports show the attribute. */
const KINDS = ["email", "domain"] as const;

/** Shows the email and the domain that claims give as attributes of a profile. */
export function showIdentifiers(profile: Profile, claims: UserClaims, written: Written, roster: ChangeListener): void {
  for (const kind of KINDS) {
    const given = claims[kind];
    if (given === undefined) continue;
    const value = kind === "email" ? given.trim() : normalise(kind, given);
    const cell = profile.cells.get(kind);
    const current = startingValue(cell, written);
    // Another value was set on purpose, so it stays. For the same value, the time of its latest mention counts.
    if (cell && (!outranks(written, cell.written) || (current !== null && current !== value))) continue;
    roster.undo?.noteWrite(profile, kind, cell, written, cell?.value !== value);
    if (cell?.value === value) roster.touch(profile);
    else roster.noteChange(profile, kind, cell?.value ?? null);
    profile.cells.set(kind, { value, written });
  }
}

/** The same for identifiers that an alias has given, as far as the profile has them now. */
export function showAliases(profile: Profile, aliases: UserClaims, written: Written, roster: ChangeListener): void {
  const owned = KINDS.filter((kind) => profile.identifiers[kind]?.includes(normalise(kind, aliases[kind] ?? "")));
  showIdentifiers(profile, Object.fromEntries(owned.map((kind) => [kind, aliases[kind]])), written, roster);
}

/** Removes identifiers, and no longer shows them as attributes: a profile that has another email or domain shows that. */
export function removeAliases(profile: Profile, aliases: UserClaims, written: Written, roster: Roster): void {
  const owned = KINDS.filter((kind) => profile.identifiers[kind]?.includes(normalise(kind, aliases[kind] ?? "")));
  roster.unalias(profile, aliases);
  hideAliases(profile, aliases, owned, written, roster);
  const half = roster.halves.named(profile)?.half.profile;
  if (half) hideAliases(half, aliases, owned, written, roster.halves);
}

function hideAliases(
  profile: Profile,
  aliases: UserClaims,
  owned: readonly (typeof KINDS)[number][],
  written: Written,
  roster: ChangeListener,
): void {
  for (const kind of owned) {
    const cell = profile.cells.get(kind);
    const isShown =
      typeof cell?.value === "string" && normalise(kind, cell.value) === normalise(kind, aliases[kind] ?? "");
    if (!cell || !isShown || cell.written.at > written.at) continue;
    roster.undo?.noteWrite(profile, kind, cell, written, true);
    roster.noteChange(profile, kind, cell.value);
    profile.cells.set(kind, { value: profile.identifiers[kind]?.[0] ?? null, written });
  }
}
