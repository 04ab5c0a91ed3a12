import type { TableColumn } from "./layout.js";

/** When a file gets the times of its owners' events, and how they are kept. */
export interface TimesRules {
  /** A file with fewer events is read as fast without them. */
  readonly leastEvents: number;
  /** How many entries are written before they are sorted, and how many are sorted and written at once. */
  readonly runEntries: number;
  /** How many rows of older events are read at once. */
  readonly pageRows: number;
  /** How often files are looked at that had nothing to do. */
  readonly lookEveryMs: number;
}

// 500,000 entries are sorted in a quarter of a second beside the writer, which then waits for a tenth of one. A look-up reads the
// entries that are not sorted yet one by one: a millisecond for this many.
export const TIMES_RULES: TimesRules = {
  leastEvents: 4_000_000,
  runEntries: 500_000,
  pageRows: 300_000,
  lookEveryMs: 5_000,
};

/** So many sorted runs of about the same size become one. Each run costs a look-up a fifth of a millisecond. */
const MERGED_RUNS = 4;

/**
 * `tail`: gets the entries of new events, in the order of their arrival. `full`: a tail of earlier, to be sorted. `building`: holds a part
 * of others, and is not read. `old`: another run has its entries; it is dropped when no look-up reads it any more.
 */
export type RunState = "tail" | "full" | "sorted" | "building" | "old";

export interface Run {
  readonly number: number;
  state: RunState;
  entries: number;
}

/** A run that is made of others, piece by piece. */
export interface Build {
  readonly run: Run;
  readonly inputs: readonly Run[];
  readonly pieces: number;
  /** How many pieces are written. */
  done: number;
}

export const RUN_COLUMNS: readonly TableColumn[] = [
  { name: "owner", type: "bigint" },
  { name: "happened", type: "bigint" },
];

/**
 * When each user and account had events: rows of the key of the owner and the time of an event, so that a look-up reads only the blocks of
 * `events` that have these times. There may be too many entries, since an event that is deleted, or moved to another user, leaves its own.
 * There are never too few. The entries are in runs, tables that are sorted by the owner, but for the last.
 */
export class EventTimes {
  readonly #databaseName: string;
  readonly runs: Run[];
  /**
   * Rows of `events` before this row number have no entries yet, unless they were read twice. Rows only ever move down, in their
   * order, or to the end, and those that move to the end get entries then.
   */
  unread: number;
  /** How many look-ups read the runs now. */
  readers = 0;
  /** Rises when an erasure begins and when it is committed. What was read of a run meanwhile may have erased entries. */
  erasures = 0;
  build: Build | undefined;

  constructor(databaseName: string, runs: readonly Run[], unread: number) {
    this.#databaseName = databaseName;
    this.runs = [...runs];
    this.unread = unread;
  }

  /** Whether all events have entries, so that a look-up may rely on them. */
  get isComplete(): boolean {
    return this.unread === 0;
  }

  get tail(): Run {
    const tail = this.runs.find(({ state }) => state === "tail");
    if (tail === undefined) throw new Error("The times of events have no run for new entries.");
    return tail;
  }

  get nextNumber(): number {
    return Math.max(...this.runs.map(({ number }) => number)) + 1;
  }

  tableOf({ number }: Pick<Run, "number">): string {
    return `${this.#databaseName}.${tableName(number)}`;
  }

  /** The runs that have all entries together. */
  get read(): Run[] {
    return this.runs.filter(({ state }) => state !== "building" && state !== "old");
  }

  /** A subquery of all entries for which a condition holds, some of them twice. */
  entries(condition: string, runs: readonly Run[] = this.read): string {
    return runs.map((run) => `select owner, happened from ${this.tableOf(run)} where ${condition}`).join(" union all ");
  }

  get oldRuns(): Run[] {
    return this.runs.filter(({ state }) => state === "old");
  }

  /** The runs that should become one; none when there is nothing to do. */
  nextInputs({ runEntries }: TimesRules): Run[] {
    const full = this.runs.find(({ state }) => state === "full");
    if (full) return [full];
    const tiers = new Map<number, Run[]>();
    for (const run of this.runs) {
      if (run.state !== "sorted") continue;
      const tier = Math.max(0, Math.round(Math.log(run.entries / runEntries) / Math.log(MERGED_RUNS)));
      const runs = tiers.get(tier) ?? [];
      runs.push(run);
      tiers.set(tier, runs);
    }
    const [lowest] = [...tiers].filter(([, runs]) => runs.length >= MERGED_RUNS).sort(([one], [other]) => one - other);
    return lowest?.[1] ?? [];
  }

  /** Whether something can be done for the times now. */
  hasWork(rules: TimesRules): boolean {
    return (
      this.unread > 0 ||
      this.build !== undefined ||
      this.oldRuns.length > 0 ||
      this.tail.entries >= rules.runEntries ||
      this.nextInputs(rules).length > 0
    );
  }

  remove(run: Run): void {
    this.runs.splice(this.runs.indexOf(run), 1);
  }
}

export function tableName(number: number): string {
  return `event_times_${number}`;
}
