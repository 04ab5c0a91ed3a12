import type { Profile } from "../profiles/profile.js";
import { type ClaimedIdentifier, identifierKey } from "./identifiers.js";

/** Identifiers that were taken from the profiles of one micro-batch, now or before. Erasing a profile concerns them too. */
export class FormerIdentifiers {
  readonly #of = new Map<Profile, ClaimedIdentifier[]>();
  readonly #added: { profile: Profile; identifier: ClaimedIdentifier }[] = [];

  /** Adds stored ones. */
  load(profile: Profile, identifiers: readonly ClaimedIdentifier[]): void {
    this.#of.set(profile, [...(this.#of.get(profile) ?? []), ...identifiers]);
  }

  /** Notes that an identifier was just taken from a profile. */
  note(profile: Profile, identifier: ClaimedIdentifier): void {
    this.load(profile, [identifier]);
    this.#added.push({ profile, identifier });
  }

  /** The survivor of a merge has had the identifiers of the loser. */
  move(loser: Profile, survivor: Profile): void {
    this.load(survivor, this.#of.get(loser) ?? []);
  }

  /** The keys of those that nobody has now. An identifier that somebody else has got is theirs. */
  freeKeysOf(profile: Profile, ownerOf: (identifier: ClaimedIdentifier) => Profile | undefined): string[] {
    const free = (this.#of.get(profile) ?? []).filter((identifier) => ownerOf(identifier) === undefined);
    return [...new Set(free.map(({ kind, value }) => identifierKey(kind, value)))];
  }

  /** Those that were taken in this micro-batch. */
  added(): readonly { profile: Profile; identifier: ClaimedIdentifier }[] {
    return this.#added;
  }
}
