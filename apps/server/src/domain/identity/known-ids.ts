import type { Profile } from "../profiles/profile.js";

/** The ids of the profiles of a roster. A profile has its own id, then those of the profiles that were merged into it. */
export class KnownIds {
  readonly #byId = new Map<string, Profile>();
  readonly #ids = new Map<Profile, readonly string[]>();
  readonly #survivors = new Map<Profile, Profile>();

  add(profile: Profile, ids: readonly string[]): void {
    for (const id of ids) this.#byId.set(id, profile);
    const known = this.#ids.get(profile);
    this.#ids.set(profile, known ? [...known, ...ids] : ids);
  }

  profiles(): Iterable<Profile> {
    return this.#ids.keys();
  }

  of(profile: Profile): readonly string[] {
    return this.#ids.get(profile) ?? [];
  }

  find(id: string): Profile | undefined {
    return this.#byId.get(id);
  }

  /** The profile that has an id now, after the merges of this micro-batch. */
  findPresent(id: string): Profile | undefined {
    const found = this.#byId.get(id);
    return found && this.current(found);
  }

  /** The profile itself, or the one it was merged into. */
  current(profile: Profile): Profile {
    let current = profile;
    for (let next = this.#survivors.get(current); next; next = this.#survivors.get(current)) current = next;
    return current;
  }

  merge(loser: Profile, survivor: Profile): void {
    this.add(survivor, this.of(loser));
    this.#survivors.set(loser, survivor);
  }

  /** Takes ids from the profile that has them, for the profile that an undone merge restores. */
  move(ids: readonly string[], restored: Profile): void {
    for (const id of ids) this.#byId.set(id, restored);
    this.#ids.set(restored, ids);
  }

  /** Afterwards no id finds the profile. */
  remove(profile: Profile): void {
    for (const id of this.of(profile)) this.#byId.delete(id);
  }
}
