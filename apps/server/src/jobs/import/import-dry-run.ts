import { createHash } from "node:crypto";
import type { Entry } from "../../domain/entries/entry.js";
import type { Profile } from "../../domain/identity/profile.js";
import type { ApplyOptions } from "../../pipeline/apply/apply.js";
import { type Rehearsal, rehearse } from "../../pipeline/apply/rehearse.js";

export interface DryRunCounts {
  /** Users or accounts that would be created. */
  new: number;
  /** Known users or accounts that would change. */
  updated: number;
}

/**
 * Counts what an import would do, chunk by chunk, and stores nothing. So it keeps in memory which subjects it has counted,
 * as 48 bits for each, and which attributes the chunks before would have defined.
 */
export class ImportDryRun {
  readonly counts: DryRunCounts = { new: 0, updated: 0 };
  readonly #options: ApplyOptions;
  readonly #organizationId: string;
  readonly #counted = new Set<number>();
  #bench: Rehearsal["bench"] | undefined;

  constructor(options: ApplyOptions, organizationId: string) {
    this.#options = options;
    this.#organizationId = organizationId;
  }

  /** Counts the entries of a chunk. Returns those that would be refused, as a whole or in part. */
  async add(entries: readonly Entry[]): Promise<Rehearsal["outcome"]["rejections"]> {
    const defined = this.#bench && {
      userAttributes: this.#bench.userAttributes,
      accountAttributes: this.#bench.accountAttributes,
    };
    const { bench, outcome } = await rehearse(this.#options, this.#organizationId, entries, defined);
    this.#bench = bench;
    const roster = entries[0]?.subject === "account" ? bench.accounts : bench.users;
    for (const profile of roster.changed()) this.#count(profile, roster.isNew(profile));
    return outcome.rejections;
  }

  #count(profile: Profile, isNew: boolean): void {
    const names = isNew ? identifiersOf(profile) : [profile.id];
    const keys = names.map(keyOf);
    if (!keys.some((key) => this.#counted.has(key))) this.counts[isNew ? "new" : "updated"] += 1;
    for (const key of keys) this.#counted.add(key);
  }
}

function identifiersOf({ identifiers }: Profile): string[] {
  return Object.entries(identifiers).flatMap(([kind, values]) => values.map((value) => `${kind} ${value}`));
}

function keyOf(name: string): number {
  return createHash("sha1").update(name).digest().readUIntBE(0, 6);
}
