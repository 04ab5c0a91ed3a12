import { type AccountClaims, createId, DAY_MS, type SubjectType, type UserClaims } from "@muster/protocol";
import type { AttributeValue } from "../attributes/attribute-values.js";
import { copyProfile, createProfile, type IdentifierKind, type Profile } from "../profiles/profile.js";
import { ProfileSizes } from "../profiles/profile-size.js";
import { cannotTake } from "./cannot-take.js";
import { joinCells } from "./consents.js";
import { areDifferent, contradicts } from "./contradiction.js";
import { FormerIdentifiers } from "./former-identifiers.js";
import { Halves } from "./halves.js";
import { isIdentified, isIdentifying, speaksFor, tellWho } from "./identified.js";
import { type IdentifierChanges, IdentifierOwners, identifiersOf } from "./identifier-owners.js";
import {
  type ClaimedIdentifier,
  claimedIdentifiers,
  identifierKeys,
  isSingleValued,
  normalise,
  STRENGTH,
} from "./identifiers.js";
import { mergeProfiles, mergesOn } from "./merge.js";
import { causeOf, type MergeCause, type NamingRecord } from "./merge-cause.js";
import { ProfilesBefore } from "./profiles-before.js";
import { type SplitChoices, splitChosen } from "./split-choices.js";

/** One merge: the loser was merged into the survivor. The `Before` fields are copies from before the merge. */
export interface Merge {
  survivor: Profile;
  loser: Profile;
  survivorBefore: Profile;
  loserBefore: Profile;
  cause: MergeCause;
}

/** A merge that was undone: the subject with `loserId` is one of its own again. */
export interface Unmerge {
  survivor: Profile;
  restored: Profile;
  /** What it was when it was merged, or when records wrote to it after that. */
  restoredIds: readonly string[];
  survivorBefore: Profile;
  /** Somebody has chosen that the events of which nobody knows go to the one that was split off. */
  undecidedEventsOf: readonly string[];
  /** The two must not be merged again. */
  isNeverAgain: boolean;
}

export interface RosterLimits {
  mergesPerDay: number;
  /** Most identifiers of one kind. */
  maxAnonymousIds: number;
  /** Most bytes of the attributes of one profile. */
  maxSubjectBytes: number;
}

export interface ResolveOptions extends NamingRecord {
  create: boolean;
  at: number;
}

type OnRefusal = (reason: string) => void;

/**
 * All users (or all accounts) that one micro-batch is about, in memory: it finds them by id or identifier, creates and
 * merges them, and keeps track of what must be stored afterwards. Every stored profile that the batch names must be
 * loaded first.
 */
export class Roster {
  readonly subjectType: SubjectType;
  readonly before = new ProfilesBefore();
  readonly sizes = new ProfileSizes();
  readonly former = new FormerIdentifiers();
  readonly halves = new Halves();
  readonly #limits: RosterLimits;
  readonly #now: number;
  readonly #byId = new Map<string, Profile>();
  readonly #ids = new Map<Profile, readonly string[]>();
  readonly #owners: IdentifierOwners;
  readonly #new = new Set<Profile>();
  readonly #changed = new Set<Profile>();
  readonly #removed = new Map<Profile, readonly string[]>();
  readonly #survivors = new Map<Profile, Profile>();
  readonly #merges: Merge[] = [];
  readonly #unmerges: Unmerge[] = [];
  /** Ids of subjects that must not be merged. */
  readonly #keptApart: { one: string; other: string }[] = [];
  readonly #place: number;
  /** Identifiers that the present claims have just added to merged subjects. */
  #fresh: { profile: Profile; identifier: ClaimedIdentifier }[] | undefined;

  /** `place` orders the merges of this micro-batch among all others. */
  constructor(kind: SubjectType, limits: RosterLimits, now: number, place = 0) {
    this.subjectType = kind;
    this.#owners = new IdentifierOwners(kind);
    this.#limits = limits;
    this.#now = now;
    this.#place = place;
  }

  /** Adds a decision that two subjects must not be merged. The ids are those of today. */
  keepApart(pair: { one: string; other: string }): void {
    this.#keptApart.push(pair);
  }

  /** Adds a stored profile under its own id and the ids of the profiles that were merged into it. */
  load(profile: Profile, formerIds: readonly string[] = []): void {
    this.#addIds(profile, formerIds.length === 0 ? [profile.id] : [profile.id, ...formerIds]);
    this.#owners.load(profile);
  }

  /** Whether a profile in memory has an identifier. */
  knows(identifier: ClaimedIdentifier): boolean {
    return this.#owners.find(identifier) !== undefined;
  }

  /** The profiles in memory. */
  all(): Iterable<Profile> {
    return this.#ids.keys();
  }

  /** The id of a profile, then those of the profiles that were merged into it, as far as this micro-batch knows them. */
  idsOf(profile: Profile): readonly string[] {
    return this.#ids.get(profile) ?? [];
  }

  find(id: string): Profile | undefined {
    return this.#byId.get(id);
  }

  /** Finds the profile that claims are about, without changing anything: by the id, or else by the strongest identifier. */
  lookup(claims: UserClaims | AccountClaims, byEndUser = false): Profile | undefined {
    return this.#lookupClaimed(claims, claimedIdentifiers(this.subjectType, claims), byEndUser);
  }

  /**
   * Finds or creates the profile that a record's claims are about. The strongest identifier that has an owner decides.
   * Owners of weaker identifiers are merged into that profile unless they contradict it. Identifiers without an owner
   * are added to it.
   */
  resolve(claims: UserClaims | AccountClaims, options: ResolveOptions, onRefusal: OnRefusal): Profile | undefined {
    const claimed = claimedIdentifiers(this.subjectType, claims);
    const byEndUser = options.byEndUser === true;
    const found = this.#lookupClaimed(claims, claimed, byEndUser);
    // Only Muster gives ids: an unknown one is a mistake, or belongs to an erased subject.
    const mayCreate = options.create && claims.id === undefined && claimed.length > 0;
    if (!found && !mayCreate) return undefined;
    const profile = found ?? this.#create(options.at);
    if (byEndUser && !speaksFor(profile, claims)) {
      this.#nameHalf(profile, claims, claimed);
      return profile;
    }
    this.#fresh = [];
    this.#addOrMerge(profile, claimed, options, onRefusal);
    this.#nameHalf(profile, claims, claimed);
    this.#lowerCreatedAt(profile, options.at);
    const half = this.halves.named(profile)?.half.profile;
    if (half && options.at < half.createdAt) {
      half.createdAt = options.at;
      this.halves.touch(half);
    }
    return profile;
  }

  /** Finds out which half of a merged subject claims are about, and gives it the identifiers that they have added. */
  #nameHalf(profile: Profile, claims: UserClaims | AccountClaims, claimed: readonly ClaimedIdentifier[]): void {
    const fresh = (this.#fresh ?? []).filter((added) => added.profile === profile).map(({ identifier }) => identifier);
    this.#fresh = undefined;
    if (!profile.hasHalves) return;
    const owned = claimed.filter((one) => this.#owners.find(one) === profile && !fresh.includes(one));
    this.halves.name(profile, claims, owned);
    // What was added before a merge of these claims is in the half already.
    for (const identifier of fresh) {
      const half = this.halves.find(this.halves.halfOf(profile, identifier));
      if (!half?.profile.identifiers[identifier.kind]?.includes(identifier.value)) this.halves.give(profile, identifier);
    }
  }

  /** Adds identifiers to a profile. If one has another owner, that owner is merged into the profile where allowed. */
  alias(
    profile: Profile,
    identifiers: UserClaims | AccountClaims,
    onRefusal: OnRefusal,
    record: NamingRecord = {},
  ): void {
    for (const identifier of claimedIdentifiers(this.subjectType, identifiers)) {
      const owner = this.#owners.find(identifier);
      if (!owner) {
        if (!this.#add(profile, identifier)) onRefusal(cannotTake(profile, identifier));
      } else if (
        owner !== profile &&
        ((record.byEndUser && this.#isOutOfReach(owner, identifier.kind)) ||
          this.#mergeIfAllowed(profile, owner, causeOf(identifier, record), onRefusal) === "contradicting")
      ) {
        onRefusal(`The ${identifier.kind} "${identifier.value}" belongs to another ${this.subjectType}.`);
      }
    }
  }

  unalias(profile: Profile, identifiers: UserClaims | AccountClaims): void {
    for (const identifier of claimedIdentifiers(this.subjectType, identifiers)) {
      const { kind, value } = identifier;
      const values = profile.identifiers[kind];
      if (!values?.includes(value)) continue;
      this.before.noteIdentifiers(profile);
      const rest = values.filter((other) => other !== value);
      if (rest.length > 0) profile.identifiers[kind] = rest;
      else delete profile.identifiers[kind];
      this.#owners.release(identifier);
      this.halves.take(profile, identifier);
      this.former.note(profile, identifier);
      // A record of this user that is sent again may now be about another one, who then gets the event.
      profile.eventCounts = undefined;
      this.touch(profile);
    }
  }

  /** Whether another profile has an identifier. */
  isOfAnother(profile: Profile, kind: IdentifierKind, value: string): boolean {
    const owner = this.#owners.find({ kind, value: normalise(kind, value) });
    return owner !== undefined && owner !== profile;
  }

  /** Adds an identifier to a profile unless another profile has it. Returns whether the profile has it now. */
  claimIfFree(profile: Profile, kind: IdentifierKind, value: string): boolean {
    const [identifier] = claimedIdentifiers(this.subjectType, { [kind]: value });
    if (!identifier) return false;
    const owner = this.#owners.find(identifier);
    return owner ? owner === profile : this.#add(profile, identifier);
  }

  /**
   * Removes a profile and frees its identifiers for others. Returns the keys of these and of the former ones, which find
   * its entries in the logs.
   */
  remove(profile: Profile): readonly string[] {
    const former = this.former.freeKeysOf(profile, (identifier) => this.#owners.find(identifier));
    const keys = [...identifierKeys(profile.identifiers), ...former];
    for (const identifier of identifiersOf(profile)) this.#owners.release(identifier);
    for (const id of this.#ids.get(profile) ?? []) this.#byId.delete(id);
    this.#removed.set(profile, keys);
    this.#changed.delete(profile);
    return keys;
  }

  /** Marks a profile as different from what is stored. */
  touch(profile: Profile): void {
    this.#changed.add(profile);
  }

  /** Must be called before an attribute changes, with its present value. */
  noteChange(profile: Profile, name: string, before: AttributeValue): void {
    this.#changed.add(profile);
    // A new profile had no values.
    if (!this.#new.has(profile)) this.before.noteValue(profile, name, before);
  }

  /** Most bytes of the attributes of one profile. */
  get maxBytes(): number {
    return this.#limits.maxSubjectBytes;
  }

  /** The profile itself, or the one it was merged into. */
  current(profile: Profile): Profile {
    let current = profile;
    for (let next = this.#survivors.get(current); next; next = this.#survivors.get(current)) current = next;
    return current;
  }

  /** How many profiles were created so far. */
  get created(): number {
    return this.#new.size;
  }

  isNew(profile: Profile): boolean {
    return this.#new.has(profile);
  }

  isRemoved(profile: Profile): boolean {
    return this.#removed.has(profile);
  }

  /** Whether a profile, or one that was merged into it, is in the database. */
  wasStored(profile: Profile): boolean {
    return (
      !this.isNew(profile) ||
      this.#merges.some(({ survivor, loser }) => !this.isNew(loser) && this.current(survivor) === profile)
    );
  }

  changed(): Profile[] {
    return [...this.#changed];
  }

  removed(): Profile[] {
    return [...this.#removed.keys()];
  }

  /** What `remove` returned for each removed profile. */
  removedKeys(): ReadonlyMap<Profile, readonly string[]> {
    return this.#removed;
  }

  merges(): Merge[] {
    return this.#merges;
  }

  unmerges(): readonly Unmerge[] {
    return this.#unmerges;
  }

  /** The identifiers to store, each with its owner, and those to delete. */
  identifierChanges(): IdentifierChanges {
    return this.#owners.changes((key) => this.halves.storedHalfOf(key));
  }

  /**
   * Undoes a merge: the half with an id is a subject of its own again, with everything that was merged into it before. All
   * halves of the subject must be loaded. Returns a sentence when that is not possible.
   */
  unmerge(survivor: Profile, mergedId: string, choices: SplitChoices, isNeverAgain: boolean): Unmerge | string {
    const half = this.halves.find(mergedId);
    if (!half || this.halves.subjectOf(half) !== survivor.id) {
      return `"${mergedId}" is no part of the ${this.subjectType} ${survivor.id}, or was merged by an earlier version that did not keep what is needed.`;
    }
    if (half.mergedInto === undefined) {
      return `The ${this.subjectType} ${survivor.id} survived its merges. Undo the merge of one that was merged into it.`;
    }
    const survivorBefore = copyProfile(survivor);
    const restoredIds = this.halves.below(mergedId);
    const undecidedEventsOf = splitChosen(this.halves, survivor.id, mergedId, choices);
    const parts = this.halves.split(survivor.id, mergedId);
    this.before.noteIdentifiers(survivor);
    for (const [name, { value }] of survivorBefore.cells) this.noteChange(survivor, name, value);
    this.noteChange(survivor, "account_id", survivorBefore.accountId ?? null);
    const { merges, isKeptApart } = survivorBefore;
    Object.assign(survivor, parts.survivor, parts.survivor.hasHalves ? { merges } : {}, {
      isKeptApart: isKeptApart || isNeverAgain,
    });
    parts.restored.isKeptApart = survivor.isKeptApart;
    this.sizes.forget(survivor);
    for (const name of survivor.cells.keys()) {
      if (!survivorBefore.cells.has(name)) this.noteChange(survivor, name, null);
    }
    for (const identifier of identifiersOf(survivor)) this.#owners.give(identifier, survivor);
    this.#restore(parts.restored, restoredIds);
    this.touch(survivor);
    const unmerge = {
      survivor,
      restored: parts.restored,
      restoredIds,
      survivorBefore,
      undecidedEventsOf,
      isNeverAgain,
    };
    this.#unmerges.push(unmerge);
    return unmerge;
  }

  #restore(restored: Profile, ids: readonly string[]): void {
    for (const id of ids) this.#byId.set(id, restored);
    this.#ids.set(restored, ids);
    this.#new.add(restored);
    for (const identifier of identifiersOf(restored)) this.#owners.give(identifier, restored);
    this.touch(restored);
  }

  #lookupClaimed(
    claims: UserClaims | AccountClaims,
    claimed: ClaimedIdentifier[],
    byEndUser: boolean,
  ): Profile | undefined {
    if (claims.id !== undefined) return this.#byId.get(claims.id);
    return this.#ownerOfStrongest(claimed, byEndUser && tellWho(this.subjectType, claims));
  }

  /**
   * Skips an owner that has a different value of a stronger claimed identifier: that is another subject. `isLimited`:
   * also one that is out of reach of end users.
   */
  #ownerOfStrongest(claimed: ClaimedIdentifier[], isLimited: boolean): Profile | undefined {
    for (const [index, identifier] of claimed.entries()) {
      const owner = this.#owners.find(identifier);
      if (!owner || (isLimited && this.#isOutOfReach(owner, identifier.kind))) continue;
      if (index === 0 || !claimed.slice(0, index).some((stronger) => contradicts(owner, stronger))) return owner;
    }
    return undefined;
  }

  /** Whether an end user that names this kind of identifier does not reach its owner. */
  #isOutOfReach(owner: Profile, kind: IdentifierKind): boolean {
    return !isIdentifying(this.subjectType, kind) && isIdentified(owner);
  }

  #create(at: number): Profile {
    const profile = createProfile(this.subjectType, createId(this.subjectType, this.#now), at);
    this.#addIds(profile, [profile.id]);
    this.#new.add(profile);
    this.#changed.add(profile);
    return profile;
  }

  /** `createdAt` is the time of the earliest record about a profile, which may arrive after later ones. */
  #lowerCreatedAt(profile: Profile, at: number): void {
    if (at >= profile.createdAt) return;
    profile.createdAt = at;
    this.touch(profile);
  }

  #addIds(profile: Profile, ids: readonly string[]): void {
    for (const id of ids) this.#byId.set(id, profile);
    const known = this.#ids.get(profile);
    this.#ids.set(profile, known ? [...known, ...ids] : ids);
  }

  #addOrMerge(profile: Profile, claimed: ClaimedIdentifier[], record: NamingRecord, onRefusal: OnRefusal): void {
    for (const identifier of claimed) {
      const owner = this.#owners.find(identifier);
      if (owner === profile) continue;
      if (owner && record.byEndUser && this.#isOutOfReach(owner, identifier.kind)) continue;
      const isTaken = owner
        ? this.#mergeIfAllowed(profile, owner, causeOf(identifier, record), onRefusal) !== "contradicting"
        : this.#add(profile, identifier);
      // A weaker identifier of another subject stays there, which is usual. A second external id is a mistake.
      if (!isTaken && (!owner || isSingleValued(identifier.kind))) onRefusal(cannotTake(profile, identifier));
    }
  }

  #add(profile: Profile, identifier: ClaimedIdentifier): boolean {
    const { kind, value } = identifier;
    const values = profile.identifiers[kind] ?? [];
    if (isSingleValued(kind) && values.length > 0) return false;
    if (values.length >= this.#limits.maxAnonymousIds) return false;
    this.before.noteIdentifiers(profile);
    profile.identifiers[kind] = [...values, value];
    this.#owners.give(identifier, profile);
    if (this.#fresh) this.#fresh.push({ profile, identifier });
    else this.halves.give(profile, identifier);
    this.touch(profile);
    return true;
  }

  /**
   * `contradicting`: the two are certainly different subjects.
   * `limited`: a limit forbids the merge, and `onRefusal` was called.
   */
  #mergeIfAllowed(
    survivor: Profile,
    loser: Profile,
    cause: MergeCause,
    onRefusal: OnRefusal,
  ): "merged" | "contradicting" | "limited" {
    if (areDifferent(survivor, loser, cause.kind)) return "contradicting";
    const today = Math.floor(this.#now / DAY_MS);
    const limit = this.#decidedAgainst(survivor, loser) ?? this.#limitReached(survivor, loser, today);
    if (limit) {
      onRefusal(`The ${this.subjectType} ${loser.id} was not merged into ${survivor.id}: ${limit}.`);
      return "limited";
    }
    this.#merge(survivor, loser, cause, today);
    return "merged";
  }

  #decidedAgainst(survivor: Profile, loser: Profile): string | undefined {
    if (!survivor.isKeptApart || !loser.isKeptApart) return undefined;
    const isOf = (id: string, profile: Profile) => {
      const found = this.#byId.get(id);
      return found !== undefined && this.current(found) === profile;
    };
    const isKept = this.#keptApart.some(
      ({ one, other }) => (isOf(one, survivor) && isOf(other, loser)) || (isOf(one, loser) && isOf(other, survivor)),
    );
    return isKept ? "they were separated by hand, and are in the list of those that must not be merged" : undefined;
  }

  /** Why two profiles cannot be merged now, as the end of a sentence. */
  #limitReached(survivor: Profile, loser: Profile, today: number): string | undefined {
    const { mergesPerDay, maxAnonymousIds, maxSubjectBytes } = this.#limits;
    if (mergesOn(survivor, today) >= mergesPerDay) return "it takes part in too many merges (MERGES_PER_DAY)";
    const isFull = STRENGTH[this.subjectType].some((kind) => {
      const both = [...(survivor.identifiers[kind] ?? []), ...(loser.identifiers[kind] ?? [])];
      return both.length > maxAnonymousIds && new Set(both).size > maxAnonymousIds;
    });
    if (isFull) return "it would have too many identifiers of a kind (MAX_ANONYMOUS_IDS)";
    const isTooLarge = loser.cells.size > 0 && this.sizes.of(survivor) + this.sizes.of(loser) > maxSubjectBytes;
    return isTooLarge ? "its attributes would be too large (MAX_SUBJECT_BYTES)" : undefined;
  }

  #merge(survivor: Profile, loser: Profile, cause: MergeCause, today: number): void {
    this.#merges.push({
      survivor,
      loser,
      survivorBefore: copyProfile(survivor),
      loserBefore: copyProfile(loser),
      cause,
    });
    for (const [name, cell] of loser.cells) {
      const own = survivor.cells.get(name);
      const left = joinCells(name, own, cell);
      if (left !== own) this.noteChange(survivor, name, own?.value ?? null);
    }
    this.before.noteIdentifiers(survivor);
    const accountBefore = survivor.accountId;
    this.halves.join(survivor, loser, this.#place + this.#merges.length);
    mergeProfiles(survivor, loser);
    survivor.hasHalves = true;
    this.sizes.forget(survivor);
    if (survivor.accountId !== accountBefore) this.noteChange(survivor, "account_id", accountBefore ?? null);
    survivor.merges = { day: today, count: mergesOn(survivor, today) + 1 };
    for (const identifier of identifiersOf(loser)) this.#owners.move(identifier, survivor);
    this.former.move(loser, survivor);
    this.#addIds(survivor, this.#ids.get(loser) ?? []);
    this.#survivors.set(loser, survivor);
    this.#changed.delete(loser);
    this.touch(survivor);
  }
}
