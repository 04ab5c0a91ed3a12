import { type AccountClaims, createId, DAY_MS, type SubjectType, type UserClaims } from "@muster/protocol";
import {
  type ClaimedIdentifier,
  claimedIdentifiers,
  type IdentifierKind,
  identifierKey,
  isSingle,
  STRENGTH,
} from "./identifiers.js";
import { mergeProfiles } from "./merge.js";
import { type AttributeValue, copyProfile, createProfile, type Profile } from "./profile.js";

/** One merge: who went into whom, and both as they were before. */
export interface Merge {
  survivor: Profile;
  loser: Profile;
  survivorBefore: Profile;
  loserBefore: Profile;
}

export interface RosterLimits {
  mergesPerDay: number;
  maxAnonymousIds: number;
}

export interface ResolveOptions {
  create: boolean;
  at: number;
}

/**
 * The users (or accounts) that a micro-batch is about, found by any identifier, and what has become of them: the
 * working set of the applier. Everything the batch names must have been loaded before.
 */
export class Roster {
  readonly kind: SubjectType;
  readonly #limits: RosterLimits;
  readonly #now: number;
  readonly #byId = new Map<string, Profile>();
  readonly #ids = new Map<Profile, string[]>();
  readonly #byIdentifier = new Map<string, Profile>();
  readonly #new = new Set<Profile>();
  readonly #changed = new Set<Profile>();
  readonly #removed = new Set<Profile>();
  /** Values before this micro-batch, by profile and attribute: for the change log. */
  readonly #before = new Map<Profile, Map<string, AttributeValue>>();
  readonly #survivors = new Map<Profile, Profile>();
  readonly #merges: Merge[] = [];
  readonly #claimed = new Map<string, string>();
  readonly #released = new Set<string>();

  constructor(kind: SubjectType, limits: RosterLimits, now: number) {
    this.kind = kind;
    this.#limits = limits;
    this.#now = now;
  }

  /** Adds a stored profile, under its own id and the ids it was known by before merges. */
  load(profile: Profile, formerIds: readonly string[] = []): void {
    this.#know(profile, [profile.id, ...formerIds]);
    for (const [kind, values] of Object.entries(profile.identifiers)) {
      for (const value of values) this.#byIdentifier.set(identifierKey(kind, value), profile);
    }
  }

  find(id: string): Profile | undefined {
    return this.#byId.get(id);
  }

  /** Whom claims stand for as things are: the one with the id, or else the owner of the strongest identifier. */
  lookup(claims: UserClaims | AccountClaims): Profile | undefined {
    if (claims.id !== undefined) return this.#byId.get(claims.id);
    return this.#strongest(claimedIdentifiers(this.kind, claims));
  }

  /**
   * The profile that a record's claims are about. The strongest identifier that finds somebody decides; owners of weaker
   * ones are merged in unless they contradict it; identifiers nobody has are added; nobody found makes a new profile.
   */
  resolve(claims: UserClaims | AccountClaims, options: ResolveOptions, onRefusal: (reason: string) => void) {
    const claimed = claimedIdentifiers(this.kind, claims);
    const found = this.lookup(claims);
    // Ids are ours to give: an unknown one is a mistake, or somebody erased.
    const mayCreate = options.create && claims.id === undefined && claimed.length > 0;
    if (!found && !mayCreate) return undefined;
    const profile = found ?? this.#create(options.at);
    this.#adopt(profile, claimed, onRefusal);
    this.#datesBack(profile, options.at);
    return profile;
  }

  /** Adds identifiers to a profile, merging their owners in where that is allowed. */
  alias(profile: Profile, identifiers: UserClaims | AccountClaims, onRefusal: (reason: string) => void): void {
    const claimed = claimedIdentifiers(this.kind, identifiers);
    for (const identifier of claimed) {
      const owner = this.#owner(identifier);
      if (!owner) {
        if (!this.#add(profile, identifier)) onRefusal(this.#cannotTake(profile, identifier));
      } else if (owner !== profile && this.#mergeIfAllowed(profile, owner, identifier.kind, onRefusal) === "apart") {
        onRefusal(`The ${identifier.kind} "${identifier.value}" belongs to another ${this.kind}.`);
      }
    }
  }

  unalias(profile: Profile, identifiers: UserClaims | AccountClaims): void {
    for (const { kind, value } of claimedIdentifiers(this.kind, identifiers)) {
      const values = profile.identifiers[kind];
      if (!values?.includes(value)) continue;
      const rest = values.filter((other) => other !== value);
      if (rest.length > 0) profile.identifiers[kind] = rest;
      else delete profile.identifiers[kind];
      this.#release(kind, value);
      this.touch(profile);
    }
  }

  /** Takes an identifier that came as an attribute, when nobody else has it. */
  claimFree(profile: Profile, kind: IdentifierKind, value: string): boolean {
    const [identifier] = claimedIdentifiers(this.kind, { [kind]: value });
    if (!identifier) return false;
    const owner = this.#owner(identifier);
    return owner ? owner === profile : this.#add(profile, identifier);
  }

  /** Takes a profile away. It keeps its identifiers, by which it is found in the logs; they are free for others. */
  remove(profile: Profile): void {
    for (const [kind, values] of Object.entries(profile.identifiers)) {
      for (const value of values) this.#release(kind, value);
    }
    for (const id of this.#ids.get(profile) ?? []) this.#byId.delete(id);
    this.#removed.add(profile);
    this.#changed.delete(profile);
  }

  /** Says that a profile is not what is stored any more. */
  touch(profile: Profile): void {
    this.#changed.add(profile);
  }

  /** Says that an attribute is about to change from `before`. */
  noteChange(profile: Profile, name: string, before: AttributeValue): void {
    this.#changed.add(profile);
    const values = this.#before.get(profile) ?? new Map<string, AttributeValue>();
    if (!values.has(name)) values.set(name, before);
    this.#before.set(profile, values);
  }

  /** Who a profile is now: itself, or whoever it was merged into. */
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

  /** Whether the store knows a profile: itself, or one that was merged into it. */
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
    return [...this.#removed];
  }

  merges(): Merge[] {
    return this.#merges;
  }

  valuesBefore(profile: Profile): ReadonlyMap<string, AttributeValue> {
    return this.#before.get(profile) ?? new Map();
  }

  /** Identifiers as they are to be stored: each with its owner, and those that nobody has any more. */
  identifierChanges(): { claimed: { kind: string; value: string; id: string }[]; released: ClaimedIdentifier[] } {
    const claimed = [...this.#claimed.keys()].map((key) => {
      const { kind, value } = parseKey(key);
      return { kind, value, id: this.#byIdentifier.get(key)!.id };
    });
    return { claimed, released: [...this.#released].map(parseKey) };
  }

  #owner({ kind, value }: ClaimedIdentifier): Profile | undefined {
    return this.#byIdentifier.get(identifierKey(kind, value));
  }

  /** An owner that holds a different value of a stronger identifier that is claimed too is somebody else. */
  #strongest(claimed: ClaimedIdentifier[]): Profile | undefined {
    for (const [index, identifier] of claimed.entries()) {
      const owner = this.#owner(identifier);
      if (owner && !claimed.slice(0, index).some((stronger) => contradicts(owner, stronger))) return owner;
    }
    return undefined;
  }

  #create(at: number): Profile {
    const profile = createProfile(this.kind, createId(this.kind, this.#now), at);
    this.#know(profile, [profile.id]);
    this.#new.add(profile);
    this.#changed.add(profile);
    return profile;
  }

  /** A profile is as old as the first record about it, whichever arrives first. */
  #datesBack(profile: Profile, at: number): void {
    if (at >= profile.createdAt) return;
    profile.createdAt = at;
    this.touch(profile);
  }

  #know(profile: Profile, ids: readonly string[]): void {
    for (const id of ids) this.#byId.set(id, profile);
    this.#ids.set(profile, [...(this.#ids.get(profile) ?? []), ...ids]);
  }

  #adopt(profile: Profile, claimed: ClaimedIdentifier[], onRefusal: (reason: string) => void): void {
    for (const identifier of claimed) {
      const owner = this.#owner(identifier);
      if (!owner) {
        const added = this.#add(profile, identifier);
        if (!added && !isSingle(identifier.kind)) onRefusal(this.#cannotTake(profile, identifier));
      } else if (owner !== profile) this.#mergeIfAllowed(profile, owner, identifier.kind, onRefusal);
    }
  }

  #add(profile: Profile, { kind, value }: ClaimedIdentifier): boolean {
    const values = profile.identifiers[kind] ?? [];
    if (isSingle(kind) && values.length > 0) return false;
    if (kind === "anonymous_id" && values.length >= this.#limits.maxAnonymousIds) return false;
    profile.identifiers[kind] = [...values, value];
    const key = identifierKey(kind, value);
    this.#byIdentifier.set(key, profile);
    this.#claimed.set(key, profile.id);
    this.#released.delete(key);
    this.touch(profile);
    return true;
  }

  #release(kind: string, value: string): void {
    const key = identifierKey(kind, value);
    this.#byIdentifier.delete(key);
    this.#claimed.delete(key);
    this.#released.add(key);
  }

  /** `apart`: the two contradict each other, so they are two; `guarded`: they may not merge today, and that is said. */
  #mergeIfAllowed(
    survivor: Profile,
    loser: Profile,
    by: IdentifierKind,
    onRefusal: (reason: string) => void,
  ): "merged" | "apart" | "guarded" {
    const stronger = STRENGTH[this.kind].slice(0, STRENGTH[this.kind].indexOf(by));
    if (stronger.some((kind) => differ(survivor.identifiers[kind], loser.identifiers[kind]))) return "apart";
    const today = Math.floor(this.#now / DAY_MS);
    const anonymousIds =
      (survivor.identifiers.anonymous_id?.length ?? 0) + (loser.identifiers.anonymous_id?.length ?? 0);
    if (mergesOn(survivor, today) >= this.#limits.mergesPerDay || anonymousIds > this.#limits.maxAnonymousIds) {
      onRefusal(
        `The ${this.kind} ${survivor.id} takes part in too many merges: ${loser.id} was not merged into it. MERGES_PER_DAY and MAX_ANONYMOUS_IDS set the limits.`,
      );
      return "guarded";
    }
    this.#merge(survivor, loser, today);
    return "merged";
  }

  #merge(survivor: Profile, loser: Profile, today: number): void {
    this.#merges.push({
      survivor,
      loser,
      survivorBefore: copyProfile(survivor),
      loserBefore: copyProfile(loser),
    });
    for (const [name, cell] of loser.cells) {
      const own = survivor.cells.get(name);
      if (!own || own.at < cell.at) this.noteChange(survivor, name, own?.value ?? null);
    }
    mergeProfiles(survivor, loser);
    survivor.merges = { day: today, count: mergesOn(survivor, today) + 1 };
    for (const [kind, values] of Object.entries(loser.identifiers)) {
      for (const value of values) {
        const key = identifierKey(kind, value);
        this.#byIdentifier.set(key, survivor);
        this.#claimed.set(key, survivor.id);
      }
    }
    this.#know(survivor, this.#ids.get(loser) ?? []);
    this.#survivors.set(loser, survivor);
    this.#changed.delete(loser);
    this.touch(survivor);
  }

  #cannotTake(profile: Profile, { kind, value }: ClaimedIdentifier): string {
    return isSingle(kind)
      ? `The ${this.kind} ${profile.id} already has the ${kind} "${profile.identifiers[kind]?.[0]}"; "${value}" was not added.`
      : `The ${this.kind} ${profile.id} has too many identifiers of the kind ${kind}; "${value}" was not added.`;
  }
}

function contradicts(owner: Profile, { kind, value }: ClaimedIdentifier): boolean {
  const own = owner.identifiers[kind];
  return own !== undefined && !own.includes(value);
}

function differ(one: string[] | undefined, other: string[] | undefined): boolean {
  return one !== undefined && other !== undefined && !one.some((value) => other.includes(value));
}

function mergesOn(profile: Profile, day: number): number {
  return profile.merges.day === day ? profile.merges.count : 0;
}

function parseKey(key: string): ClaimedIdentifier {
  const space = key.indexOf(" ");
  return { kind: key.slice(0, space) as IdentifierKind, value: key.slice(space + 1) };
}
