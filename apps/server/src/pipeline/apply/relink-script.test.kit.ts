import type { BatchEntry } from "@muster/protocol";

/** Makes the entries of a script, by the names of users and accounts. */
export interface ScriptEntries {
  link(who: string, to: string): BatchEntry;
  touch(who: string): BatchEntry;
  merge(one: string, other: string): BatchEntry;
  erase(name: string): BatchEntry;
}

export type Act =
  | { kind: "link"; who: number; to: number }
  | { kind: "touch"; who: number }
  | { kind: "merge"; one: number; other: number }
  | { kind: "erase"; which: number };

/** Acts as entries. The name of an erased account is not used again: what a record about it does depends on its time. */
export class Script {
  readonly #entries: ScriptEntries;
  readonly #groups = new Map<number, Set<number>>();
  readonly #erased = new Map<number, number>();

  constructor(entries: ScriptEntries) {
    this.#entries = entries;
  }

  entriesOf(acts: readonly Act[]): BatchEntry[] {
    return acts.flatMap((one) => this.#entriesOf(one));
  }

  #entriesOf(one: Act): BatchEntry[] {
    switch (one.kind) {
      case "link":
        return [this.#entries.link(`u${one.who}`, this.#name(one.to))];
      case "touch":
        return [this.#entries.touch(`u${one.who}`)];
      case "merge": {
        if (one.one === one.other) return [];
        const group = new Set([...this.#groupOf(one.one), ...this.#groupOf(one.other)]);
        for (const member of group) this.#groups.set(member, group);
        return [this.#entries.merge(this.#name(one.one), this.#name(one.other))];
      }
      case "erase": {
        const entry = this.#entries.erase(this.#name(one.which));
        for (const member of this.#groupOf(one.which)) {
          this.#groups.delete(member);
          this.#erased.set(member, (this.#erased.get(member) ?? 0) + 1);
        }
        return [entry];
      }
    }
  }

  #groupOf(number: number): Set<number> {
    return this.#groups.get(number) ?? new Set([number]);
  }

  #name(number: number): string {
    return `a${number}-${this.#erased.get(number) ?? 0}`;
  }
}
