import { createHash } from "node:crypto";
import type { Entry } from "../../domain/entries/entry.js";
import type { Profile } from "../../domain/profiles/profile.js";
import type { ApplyRules } from "../../pipeline/apply/apply-rules.js";
import { type DryRun, dryRun } from "../../pipeline/apply/dry-run.js";
import type { Database } from "../../storage/postgres/database.js";

export interface DryRunCounts {
  /** Users or accounts that would be created. */
  new: number;
  /** Known users or accounts that would change. */
  updated: number;
}

// Some hundred megabytes. In a file with more subjects, a subject that appears again after so many others is counted twice.
const MAX_COUNTED = 4_000_000;

/**
 * Counts what an import would do, chunk by chunk, and stores nothing. So it keeps in memory which subjects it has
 * counted, as 48 bits for each, and which attributes the chunks before would have defined.
 */
export class ImportDryRun {
  readonly counts: DryRunCounts = { new: 0, updated: 0 };
  readonly #database: Database;
  readonly #rules: ApplyRules;
  readonly #organizationId: string;
  readonly #counted = new Set<number>();
  #state: DryRun["state"] | undefined;

  constructor(database: Database, rules: ApplyRules, organizationId: string) {
    this.#database = database;
    this.#rules = rules;
    this.#organizationId = organizationId;
  }

  /** Counts the entries of a chunk. Returns those that would be refused, as a whole or in part. */
  async add(entries: readonly Entry[]): Promise<DryRun["outcome"]["rejections"]> {
    const defined = this.#state && {
      userAttributes: this.#state.userAttributes,
      accountAttributes: this.#state.accountAttributes,
    };
    const { state, outcome } = await dryRun(this.#database, this.#rules, this.#organizationId, entries, defined);
    this.#state = state;
    const roster = entries[0]?.subject === "account" ? state.accounts : state.users;
    for (const profile of roster.changed()) this.#count(profile, roster.isNew(profile));
    return outcome.rejections;
  }

  #count(profile: Profile, isNew: boolean): void {
    const names = isNew ? identifiersOf(profile) : [profile.id];
    const keys = names.map(keyOf);
    if (!keys.some((key) => this.#counted.has(key))) this.counts[isNew ? "new" : "updated"] += 1;
    if (this.#counted.size > MAX_COUNTED) this.#counted.clear();
    for (const key of keys) this.#counted.add(key);
  }
}

function identifiersOf({ identifiers }: Profile): string[] {
  return Object.entries(identifiers).flatMap(([kind, values]) => values.map((value) => `${kind} ${value}`));
}

function keyOf(name: string): number {
  return createHash("sha1").update(name).digest().readUIntBE(0, 6);
}
