import type { SubjectType } from "@muster/protocol";
import type { IdentifierKind, Identifiers, Profile } from "../profiles/profile.js";
import { type ClaimedIdentifier, identifierKey, STRENGTH } from "./identifiers.js";

/** `from`: the profiles that had the identifier when they were loaded. It is one at most, unless the data is damaged. */
export interface IdentifierChanges {
  claimed: ClaimedChange[];
  /** Identifiers without an owner. */
  released: { kind: string; value: string; from: readonly string[] }[];
}

export interface ClaimedChange {
  kind: string;
  value: string;
  id: string;
  from: readonly string[];
  /** The half of the owner that has it; undefined for the owner itself, and when the stored row says it. */
  half?: string | undefined;
  /** A merge has moved it. It stays with the half that has it. */
  isMoved?: boolean;
}

const NOBODY: readonly string[] = [];

/** Which profile has each identifier, among the profiles of one micro-batch, and what of this must be stored. */
export class IdentifierOwners {
  readonly #subjectType: SubjectType;
  readonly #owners: Record<IdentifierKind, Map<string, Profile>> = {
    external_id: new Map(),
    email: new Map(),
    anonymous_id: new Map(),
    domain: new Map(),
  };
  /** The loaded profiles, with their identifiers when they were loaded. */
  readonly #loaded: { id: string; identifiers: Identifiers }[] = [];
  /** By their key. */
  readonly #claimed = new Map<string, ClaimedIdentifier>();
  readonly #released = new Map<string, ClaimedIdentifier>();
  /** The keys of those that only merges have moved. */
  readonly #moved = new Set<string>();

  constructor(subjectType: SubjectType) {
    this.#subjectType = subjectType;
  }

  /** Adds the identifiers of a stored profile. */
  load(profile: Profile): void {
    const { id, identifiers } = profile;
    // Lists of values are replaced and never changed, so a flat copy stays as it is.
    this.#loaded.push({ id, identifiers: { ...identifiers } });
    for (const kind of STRENGTH[this.#subjectType]) {
      for (const value of identifiers[kind] ?? []) this.#owners[kind].set(value, profile);
    }
  }

  find({ kind, value }: ClaimedIdentifier): Profile | undefined {
    return this.#owners[kind].get(value);
  }

  /** Makes a profile the owner of an identifier. */
  give(identifier: ClaimedIdentifier, profile: Profile): void {
    const { kind, value } = identifier;
    const key = identifierKey(kind, value);
    this.#owners[kind].set(value, profile);
    this.#claimed.set(key, identifier);
    this.#released.delete(key);
    this.#moved.delete(key);
  }

  /** The same, because the owner was merged into the profile. */
  move(identifier: ClaimedIdentifier, profile: Profile): void {
    this.give(identifier, profile);
    this.#moved.add(identifierKey(identifier.kind, identifier.value));
  }

  release(identifier: ClaimedIdentifier): void {
    const { kind, value } = identifier;
    const key = identifierKey(kind, value);
    this.#owners[kind].delete(value);
    this.#claimed.delete(key);
    this.#moved.delete(key);
    this.#released.set(key, identifier);
  }

  /** The identifiers to store, each with its owner, and those to delete. `halfOf` knows the halves, by key. */
  changes(halfOf: (key: string) => string | undefined = () => undefined): IdentifierChanges {
    const loadedFrom = this.#loadedOwners();
    const claimed: IdentifierChanges["claimed"] = [];
    for (const [key, identifier] of this.#claimed) {
      const from = loadedFrom.get(key) ?? NOBODY;
      const { id } = this.find(identifier)!;
      const { kind, value } = identifier;
      if (from.length === 1 && from[0] === id) continue;
      const half = halfOf(key);
      claimed.push({ kind, value, id, from, half: half === id ? undefined : half, isMoved: this.#moved.has(key) });
    }
    const released = [...this.#released].map(([key, { kind, value }]) => {
      return { kind, value, from: loadedFrom.get(key) ?? NOBODY };
    });
    return { claimed, released };
  }

  /** By claimed or released identifier: the ids of the loaded profiles that had it when they were loaded. */
  #loadedOwners(): Map<string, string[]> {
    const owners = new Map<string, string[]>();
    for (const { id, identifiers } of this.#loaded) {
      for (const kind of STRENGTH[this.#subjectType]) {
        for (const value of identifiers[kind] ?? []) {
          const key = identifierKey(kind, value);
          if (!this.#claimed.has(key) && !this.#released.has(key)) continue;
          owners.set(key, [...(owners.get(key) ?? []), id]);
        }
      }
    }
    return owners;
  }
}

/** The identifiers of a profile, strongest first. */
export function identifiersOf({ subjectType, identifiers }: Profile): ClaimedIdentifier[] {
  return STRENGTH[subjectType].flatMap((kind) => (identifiers[kind] ?? []).map((value) => ({ kind, value })));
}
