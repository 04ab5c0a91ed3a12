import type { AccountClaims, UserClaims } from "@muster/protocol";
import type { AttributeValue } from "../attributes/attribute-values.js";
import { type Cell, copyProfile, type Profile } from "../profiles/profile.js";
import type { ChangeListener } from "./attribute-roster.js";
import { type ClaimedIdentifier, identifierKey } from "./identifiers.js";
import { mergeProfiles } from "./merge.js";

/** What records have written that named both this half and one that was merged into it. */
export interface Undecided {
  /** By the name of an attribute: the cell that the half had before. */
  cells: Map<string, Cell | undefined>;
  /** By their keys: identifiers that such a record has brought. */
  identifiers: Set<string>;
  /** Such a record has linked the user: the account before. */
  link: Pick<Profile, "accountId" | "linkedAt" | "accountOrigin"> | undefined;
  /** How many events such records have made. */
  events: number;
}

/** What one subject would be now if it had never been merged with others. */
export interface Half {
  readonly profile: Profile;
  /** The half that it was merged into; undefined for the one that survived all merges. */
  mergedInto: string | undefined;
  /** Orders the merges of a subject. */
  mergedAs: number;
  readonly undecided: Undecided;
}

export const nothingUndecided = (): Undecided => ({
  cells: new Map(),
  identifiers: new Set(),
  link: undefined,
  events: 0,
});

/** The half that an entry is about, and whether its claims say so. */
export interface NamedHalf {
  half: Half;
  isDecided: boolean;
}

/**
 * The halves of the merged subjects of one micro-batch. Every entry about a merged subject is applied to the subject, and to
 * the half that its claims name: so each half is at any time what it would be without the merge, and a merge can be undone.
 * A subject that was never merged has no halves, and nothing is done for it.
 */
export class Halves implements ChangeListener {
  readonly #byId = new Map<string, Half>();
  /** By the key of an identifier: the half that it belongs to, as far as it is not the owner itself. */
  readonly #owners = new Map<string, string>();
  readonly #touched = new Set<Half>();
  readonly #removed = new Set<string>();
  /** Halves of subjects that were merged: all others of these have the survivor from now on. */
  readonly #moved: { from: string; to: string }[] = [];
  /** What the present entry is about. */
  readonly #named = new Map<Profile, NamedHalf>();

  load(half: Half, identifiers: readonly ClaimedIdentifier[] = []): void {
    this.#byId.set(half.profile.id, half);
    for (const { kind, value } of identifiers) this.#owners.set(identifierKey(kind, value), half.profile.id);
  }

  find(id: string): Half | undefined {
    return this.#byId.get(id);
  }

  /** Forgets what the entry before was about. */
  begin(): void {
    this.#named.clear();
  }

  /** The half of a subject that the present entry is about; undefined for a subject that was never merged. */
  named(subject: Profile): NamedHalf | undefined {
    if (!subject.hasHalves) return undefined;
    const known = this.#named.get(subject);
    if (known) return known;
    const half = this.#byId.get(subject.id);
    return half && { half, isDecided: false };
  }

  /** Decides which half claims are about. `owned` are those of the claimed identifiers that the subject had before. */
  name(
    subject: Profile,
    claims: UserClaims | AccountClaims,
    owned: readonly ClaimedIdentifier[],
  ): NamedHalf | undefined {
    if (!subject.hasHalves) return undefined;
    const ids =
      claims.id === undefined ? [...new Set(owned.map((identifier) => this.halfOf(subject, identifier)))] : [claims.id];
    const [first, ...others] = ids;
    const half = first === undefined ? undefined : this.#byId.get(this.#common(first, others));
    const isDecided = claims.id === undefined ? ids.length === 1 : claims.id !== subject.id;
    return this.#note(subject, half ? { half, isDecided } : undefined);
  }

  /** The same for claims that have added identifiers, which the half gets. `owned` are all that the subject has now. */
  nameBy(
    subject: Profile,
    claims: UserClaims | AccountClaims,
    { owned, added }: { owned: readonly ClaimedIdentifier[]; added: readonly ClaimedIdentifier[] },
  ): void {
    if (!subject.hasHalves) return;
    this.name(
      subject,
      claims,
      owned.filter((identifier) => !added.includes(identifier)),
    );
    // What was added before a merge of these claims is in the half already.
    for (const identifier of added) {
      const half = this.#byId.get(this.halfOf(subject, identifier));
      if (!half?.profile.identifiers[identifier.kind]?.includes(identifier.value)) this.give(subject, identifier);
    }
  }

  /** The entry names the subject only through a link of another one: to the half with this id. */
  nameById(subject: Profile, id: string): void {
    if (!subject.hasHalves) return;
    const half = this.#byId.get(id);
    this.#note(subject, half && { half, isDecided: true });
  }

  #note(subject: Profile, named: NamedHalf | undefined): NamedHalf | undefined {
    const root = this.#byId.get(subject.id);
    const found = named ?? (root && { half: root, isDecided: false });
    if (found) this.#named.set(subject, found);
    return found;
  }

  /** The id of the half of a subject that has an identifier. */
  halfOf(subject: Profile, { kind, value }: ClaimedIdentifier): string {
    return this.#owners.get(identifierKey(kind, value)) ?? subject.id;
  }

  /** The id of the half that an identifier is stored with; undefined when it is not known to belong to another half. */
  storedHalfOf(key: string): string | undefined {
    return this.#owners.get(key);
  }

  /** Marks the half with this profile as different from what is stored. */
  touch({ id }: Pick<Profile, "id">): void {
    const half = this.#byId.get(id);
    if (half) this.#touched.add(half);
  }

  noteChange(profile: Profile, _name: string, _before: AttributeValue): void {
    this.touch(profile);
  }

  /** The named half of a subject was created by the earliest record about it. */
  lowerCreatedAt(subject: Profile, at: number): void {
    const half = this.named(subject)?.half.profile;
    if (!half || at >= half.createdAt) return;
    half.createdAt = at;
    this.touch(half);
  }

  /** A record without proof is about the named half of a subject. */
  noteHint(subject: Profile): void {
    const half = this.named(subject)?.half.profile;
    if (!half || half.hasHints) return;
    half.hasHints = true;
    this.touch(half);
  }

  /** Gives an identifier that the subject has got to the half that brought it. */
  give(subject: Profile, identifier: ClaimedIdentifier): void {
    const named = this.named(subject);
    if (!named) return;
    const { kind, value } = identifier;
    const { half, isDecided } = named;
    const { identifiers } = half.profile;
    identifiers[kind] = [...(identifiers[kind] ?? []), value];
    if (half.profile.id !== subject.id) this.#owners.set(identifierKey(kind, value), half.profile.id);
    if (!isDecided) half.undecided.identifiers.add(identifierKey(kind, value));
    this.touch(half.profile);
  }

  /** Takes an identifier away from the half that has it. */
  take(subject: Profile, { kind, value }: ClaimedIdentifier): void {
    const half = this.#byId.get(this.halfOf(subject, { kind, value }));
    this.#owners.delete(identifierKey(kind, value));
    if (!subject.hasHalves || !half) return;
    const rest = (half.profile.identifiers[kind] ?? []).filter((other) => other !== value);
    if (rest.length > 0) half.profile.identifiers[kind] = rest;
    else delete half.profile.identifiers[kind];
    half.undecided.identifiers.delete(identifierKey(kind, value));
    half.profile.eventCounts = undefined;
    this.touch(half.profile);
  }

  /** An identifier belongs to the half with this id from now on. */
  assign({ kind, value }: ClaimedIdentifier, id: string | undefined): void {
    if (id === undefined) this.#owners.delete(identifierKey(kind, value));
    else this.#owners.set(identifierKey(kind, value), id);
  }

  /** Two subjects are merged: each becomes a half of the survivor, if it has no halves already. */
  join(survivor: Profile, loser: Profile, mergedAs: number): void {
    this.#become(survivor);
    const half = this.#become(loser);
    for (const [kind, values] of Object.entries(half.profile.identifiers)) {
      for (const value of values) {
        const key = identifierKey(kind, value);
        if (!this.#owners.has(key)) this.#owners.set(key, loser.id);
      }
    }
    if (loser.hasHalves) this.#moved.push({ from: loser.id, to: survivor.id });
    half.mergedInto = survivor.id;
    half.mergedAs = mergedAs;
    this.touch(half.profile);
    this.#named.delete(loser);
  }

  #become(subject: Profile): Half {
    const known = this.#byId.get(subject.id);
    if (known) return known;
    const half: Half = {
      profile: { ...copyProfile(subject), hasHalves: false },
      mergedInto: undefined,
      mergedAs: 0,
      undecided: nothingUndecided(),
    };
    this.#byId.set(subject.id, half);
    this.touch(half.profile);
    return half;
  }

  /** The half that all of these were merged into, which may be the first one. */
  #common(first: string, others: readonly string[]): string {
    let path = this.#path(first);
    for (const other of others) {
      const theirs = new Set(this.#path(other));
      const shared = path.findIndex((id) => theirs.has(id));
      if (shared > 0) path = path.slice(shared);
    }
    return path[0] ?? first;
  }

  /** The id of a half, then those of the halves that it was merged into. */
  #path(id: string): string[] {
    const path: string[] = [];
    for (let at: string | undefined = id; at !== undefined; at = this.#byId.get(at)?.mergedInto) path.push(at);
    return path;
  }

  /** The halves that a half was merged into, the nearest first. */
  above(id: string): Half[] {
    return this.#path(id)
      .slice(1)
      .flatMap((other) => this.#byId.get(other) ?? []);
  }

  /** The id of a half and of all that were merged into it. All halves of its subject must be loaded. */
  below(id: string): string[] {
    const children = new Map<string, string[]>();
    for (const { profile, mergedInto } of this.#byId.values()) {
      if (mergedInto !== undefined) children.set(mergedInto, [...(children.get(mergedInto) ?? []), profile.id]);
    }
    const found = [id];
    for (const next of found) found.push(...(children.get(next) ?? []));
    return found;
  }

  /** What a half and all that were merged into it are together: they are merged again, in the same order. */
  sumOf(id: string): Profile {
    const half = this.#byId.get(id)!;
    const sum = { ...copyProfile(half.profile), hasHalves: false };
    const parts = [...this.#byId.values()]
      .filter(({ mergedInto }) => mergedInto === id)
      .sort((one, other) => one.mergedAs - other.mergedAs);
    for (const part of parts) mergeProfiles(sum, this.sumOf(part.profile.id));
    sum.hasHalves = parts.length > 0;
    return sum;
  }

  /**
   * Splits a half, with all halves below it, from its survivor. Returns both profiles.
   */
  split(subjectId: string, id: string): { survivor: Profile; restored: Profile } {
    const half = this.#byId.get(id)!;
    const ids = this.below(id);
    half.mergedInto = undefined;
    half.mergedAs = 0;
    for (const [key, owner] of this.#owners) if (owner === id) this.#owners.delete(key);
    const sums = { survivor: this.sumOf(subjectId), restored: this.sumOf(id) };
    for (const part of [...ids, subjectId]) this.touch({ id: part });
    for (const [alone, { hasHalves }] of [
      [id, sums.restored],
      [subjectId, sums.survivor],
    ] as const) {
      if (!hasHalves) this.#remove(alone);
    }
    return sums;
  }

  #remove(id: string): void {
    const half = this.#byId.get(id);
    this.#byId.delete(id);
    if (half) this.#touched.delete(half);
    this.#removed.add(id);
  }

  /** The id of the subject that a half is part of, as far as its halves are loaded. */
  subjectOf(half: Half): string {
    return this.#path(half.profile.id).at(-1)!;
  }

  touched(): Iterable<Half> {
    return this.#touched;
  }

  removed(): readonly string[] {
    return [...this.#removed];
  }

  moved(): readonly { from: string; to: string }[] {
    return this.#moved;
  }
}
