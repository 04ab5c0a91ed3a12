import { type AccountClaims, createId, DAY_MS, type SubjectType, type UserClaims } from "@muster/protocol";
import type { AttributeValue } from "../attributes/attribute-values.js";
import { copyProfile, createProfile, type IdentifierKind, type Profile } from "../profiles/profile.js";
import { ProfileSizes } from "../profiles/profile-size.js";
import { UndoRecorder } from "../undo/undo-recorder.js";
import { cannotTake } from "./cannot-take.js";
import { joinCells } from "./consents.js";
import { areDifferent, contradicts } from "./contradiction.js";
import { FormerIdentifiers } from "./former-identifiers.js";
import { Halves } from "./halves.js";
import { isOutOfReach, speaksFor, tellWho } from "./identified.js";
import { type IdentifierChanges, IdentifierOwners, identifiersOf } from "./identifier-owners.js";
import {
  type ClaimedIdentifier,
  claimedIdentifiers,
  identifierKeys,
  isSingleValued,
  normalise,
} from "./identifiers.js";
import { KnownIds } from "./known-ids.js";
import { type Merge, mergeProfiles, mergesOn } from "./merge.js";
import { causeOf, type MergeCause, type NamingRecord } from "./merge-cause.js";
import { KeptApart, limitReached, type RosterLimits } from "./merge-limits.js";
import { ProfilesBefore } from "./profiles-before.js";
import type { SplitChoices } from "./split-choices.js";
import { type Unmerge, undoMerge } from "./undo-merge.js";

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
  readonly keptApart = new KeptApart();
  readonly undo = new UndoRecorder();
  readonly #limits: RosterLimits;
  readonly #now: number;
  readonly #ids = new KnownIds();
  readonly #owners: IdentifierOwners;
  readonly #new = new Set<Profile>();
  readonly #changed = new Set<Profile>();
  readonly #removed = new Map<Profile, readonly string[]>();
  readonly #merges: Merge[] = [];
  readonly #unmerges: Unmerge[] = [];
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

  /** Adds a stored profile under its own id and the ids of the profiles that were merged into it. */
  load(profile: Profile, formerIds: readonly string[] = []): void {
    this.#ids.add(profile, formerIds.length === 0 ? [profile.id] : [profile.id, ...formerIds]);
    this.#owners.load(profile);
  }

  /** Whether a profile in memory has an identifier. */
  knows(identifier: ClaimedIdentifier): boolean {
    return this.#owners.find(identifier) !== undefined;
  }

  /** The profiles in memory. */
  all(): Iterable<Profile> {
    return this.#ids.profiles();
  }

  /** The id of a profile, then those of the profiles that were merged into it, as far as this micro-batch knows them. */
  idsOf(profile: Profile): readonly string[] {
    return this.#ids.of(profile);
  }

  find(id: string): Profile | undefined {
    return this.#ids.find(id);
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
    const profile = found ?? this.create(options.at, options.source);
    if (byEndUser && !speaksFor(profile, claims)) {
      this.#nameHalf(profile, claims, claimed);
      return profile;
    }
    this.#fresh = [];
    this.#addOrMerge(profile, claimed, options, onRefusal);
    this.#nameHalf(profile, claims, claimed);
    this.#lowerCreatedAt(profile, options.at);
    this.halves.lowerCreatedAt(profile, options.at);
    return profile;
  }

  /** Finds out which half of a merged subject claims are about, and gives it the identifiers that they have added. */
  #nameHalf(profile: Profile, claims: UserClaims | AccountClaims, claimed: readonly ClaimedIdentifier[]): void {
    const added = (this.#fresh ?? []).filter((fresh) => fresh.profile === profile).map(({ identifier }) => identifier);
    this.#fresh = undefined;
    const owned = claimed.filter((one) => this.#owners.find(one) === profile);
    this.halves.nameBy(profile, claims, { owned, added });
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
        if (!this.#add(profile, identifier, record.source)) onRefusal(cannotTake(profile, identifier));
      } else if (
        owner !== profile &&
        ((record.byEndUser && isOutOfReach(owner, identifier.kind)) ||
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
  claimIfFree(profile: Profile, kind: IdentifierKind, value: string, source?: string): boolean {
    const [identifier] = claimedIdentifiers(this.subjectType, { [kind]: value });
    if (!identifier) return false;
    const owner = this.#owners.find(identifier);
    return owner ? owner === profile : this.#add(profile, identifier, source);
  }

  /**
   * Removes a profile and frees its identifiers for others. Returns the keys of these and of the former ones, which find
   * its entries in the logs.
   */
  remove(profile: Profile): readonly string[] {
    const former = this.former.freeKeysOf(profile, (identifier) => this.#owners.find(identifier));
    const keys = [...identifierKeys(profile.identifiers), ...former];
    for (const identifier of identifiersOf(profile)) this.#owners.release(identifier);
    this.#ids.remove(profile);
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
    return this.#ids.current(profile);
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

  /** Undoes a merge. All halves of the subject must be loaded. Returns a sentence when that is not possible. */
  unmerge(survivor: Profile, mergedId: string, choices: SplitChoices, isNeverAgain: boolean): Unmerge | string {
    const unmerge = undoMerge(this, survivor, mergedId, { choices, isNeverAgain });
    if (typeof unmerge === "string") return unmerge;
    const { restored, restoredIds } = unmerge;
    this.#ids.move(restoredIds, restored);
    this.#new.add(restored);
    for (const subject of [survivor, restored]) {
      for (const identifier of identifiersOf(subject)) this.#owners.give(identifier, subject);
      this.touch(subject);
    }
    this.#unmerges.push(unmerge);
    return unmerge;
  }

  #lookupClaimed(
    claims: UserClaims | AccountClaims,
    claimed: ClaimedIdentifier[],
    byEndUser: boolean,
  ): Profile | undefined {
    if (claims.id !== undefined) return this.#ids.find(claims.id);
    return this.#ownerOfStrongest(claimed, byEndUser && tellWho(this.subjectType, claims));
  }

  /**
   * Skips an owner that has a different value of a stronger claimed identifier: that is another subject. `isLimited`:
   * also one that is out of reach of end users.
   */
  #ownerOfStrongest(claimed: ClaimedIdentifier[], isLimited: boolean): Profile | undefined {
    for (const [index, identifier] of claimed.entries()) {
      const owner = this.#owners.find(identifier);
      if (!owner || (isLimited && isOutOfReach(owner, identifier.kind))) continue;
      if (index === 0 || !claimed.slice(0, index).some((stronger) => contradicts(owner, stronger))) return owner;
    }
    return undefined;
  }

  create(at: number, source?: string, id = createId(this.subjectType, this.#now)): Profile {
    const profile = createProfile(this.subjectType, id, at);
    this.#ids.add(profile, [profile.id]);
    this.#new.add(profile);
    this.undo.noteCreation(profile, source);
    this.#changed.add(profile);
    return profile;
  }

  /** `createdAt` is the time of the earliest record about a profile, which may arrive after later ones. */
  #lowerCreatedAt(profile: Profile, at: number): void {
    if (at >= profile.createdAt) return;
    profile.createdAt = at;
    this.touch(profile);
  }

  #addOrMerge(profile: Profile, claimed: ClaimedIdentifier[], record: NamingRecord, onRefusal: OnRefusal): void {
    for (const identifier of claimed) {
      const owner = this.#owners.find(identifier);
      if (owner === profile) continue;
      if (owner && record.byEndUser && isOutOfReach(owner, identifier.kind)) continue;
      const isTaken = owner
        ? this.#mergeIfAllowed(profile, owner, causeOf(identifier, record), onRefusal) !== "contradicting"
        : this.#add(profile, identifier, record.source);
      // A weaker identifier of another subject stays there, which is usual. A second external id is a mistake.
      if (!isTaken && (!owner || isSingleValued(identifier.kind))) onRefusal(cannotTake(profile, identifier));
    }
  }

  #add(profile: Profile, identifier: ClaimedIdentifier, source: string | undefined): boolean {
    const { kind, value } = identifier;
    const values = profile.identifiers[kind] ?? [];
    if (isSingleValued(kind) && values.length > 0) return false;
    if (values.length >= this.#limits.maxAnonymousIds) return false;
    this.before.noteIdentifiers(profile);
    this.undo.noteIdentifier(profile, identifier, source);
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
    const limit =
      this.keptApart.reasonAgainst(survivor, loser, (id) => this.#ids.findPresent(id)) ??
      limitReached(survivor, loser, { limits: this.#limits, sizes: this.sizes, today });
    if (limit) {
      onRefusal(`The ${this.subjectType} ${loser.id} was not merged into ${survivor.id}: ${limit}.`);
      return "limited";
    }
    this.#merge(survivor, loser, cause, today);
    return "merged";
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
      this.undo.noteMerged(survivor, name, { own, cell, left }, this.#new.has(loser));
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
    this.#ids.merge(loser, survivor);
    this.#changed.delete(loser);
    this.touch(survivor);
  }
}
