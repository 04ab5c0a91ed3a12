import {
  type ArrivedEntry,
  describeArrived,
  isWanted,
  type RecentEntry,
  type RecentFilter,
} from "../domain/entries/recent-entry.js";

/** How long a watch lasts after it was read. */
const WATCH_MS = 10_000;
// With the largest bodies a watch takes about 4 MB.
const MAX_ENTRIES = 300;
/** Of all organizations together, and of one. The watch that was not read for the longest time ends first. */
const MAX_WATCHES = 64;
const MAX_WATCHES_OF_ONE = 16;

/**
 * A recent entry with the time when it was decided about. `number` is its place in the watch, and grows by one with each
 * entry. `id` is the same in all watches: a reader who puts two of them together has each entry once.
 */
export type NumberedEntry = RecentEntry & { id: number; number: number; at: number };

interface Watch {
  organizationId: string;
  filter: RecentFilter;
  since: number;
  entries: NumberedEntry[];
  /** The number of the last entry, also of one that was dropped. */
  last: number;
  /** Ends the watch. */
  timer: NodeJS.Timeout;
}

export interface RecentEntriesPage {
  entries: NumberedEntry[];
  /** The number to go on after. */
  after: number;
  /** How many entries were dropped between `after` and the first one here, because more came than a watch keeps. */
  missed: number;
  /** When the watch began. Entries before that time were not kept. */
  since: number;
}

/**
 * The entries that arrive in this process, for people who watch. They are kept in memory only while a reader asks
 * for them. Otherwise an entry costs one comparison.
 */
export class RecentEntries {
  /** The watch that was read last comes last. */
  readonly #watches = new Map<string, Watch>();
  /** The id of the last entry. It begins with the time, so that ids are new after a restart. */
  #lastId = startOf({ since: Date.now() });
  readonly #onWatched: (organizationId: string, isWatched: boolean) => void;

  /** `onWatched` is told when the first watch of an organization begins, and when the last one ends. */
  constructor(onWatched: (organizationId: string, isWatched: boolean) => void = () => {}) {
    this.#onWatched = onWatched;
  }

  /** Whether somebody watches an organization. Without it nothing needs to be noted. */
  isWatched(organizationId: string): boolean {
    if (this.#watches.size === 0) return false;
    return [...this.#watches.values()].some((watch) => watch.organizationId === organizationId);
  }

  /** Notes entries of an organization for those who watch it. */
  note(organizationId: string, arrived: readonly ArrivedEntry[]): void {
    const at = Date.now();
    const firstId = this.#lastId + 1;
    this.#lastId += arrived.length;
    const numbered = arrived.map((entry, index) => ({ id: firstId + index, entry }));
    for (const watch of this.#watches.values()) {
      if (watch.organizationId !== organizationId) continue;
      const wanted = numbered.filter(({ entry }) => isWanted(entry, watch.filter));
      watch.last += wanted.length;
      const newest = wanted.slice(-MAX_ENTRIES);
      const first = watch.last - newest.length + 1;
      const added = newest.map(({ id, entry }, index) => ({
        id,
        number: first + index,
        at,
        ...describeArrived(entry),
      }));
      watch.entries = [...watch.entries, ...added].slice(-MAX_ENTRIES);
    }
  }

  /** The entries after a number. The first call begins a watch, and further calls keep it. */
  read(organizationId: string, filter: RecentFilter, after = 0): RecentEntriesPage {
    const key = JSON.stringify([organizationId, ...Object.entries(filter).sort()]);
    const watch = this.#watches.get(key) ?? this.#begin(key, organizationId, filter);
    watch.timer.refresh();
    const isNew = !this.isWatched(organizationId);
    this.#watches.delete(key);
    this.#watches.set(key, watch);
    if (isNew) this.#onWatched(organizationId, true);
    const { entries, last, since } = watch;
    const firstNumber = last - entries.length + 1;
    return {
      entries: entries.filter(({ number }) => number > after),
      after: last,
      missed: after >= startOf(watch) ? Math.max(0, firstNumber - after - 1) : 0,
      since,
    };
  }

  #begin(key: string, organizationId: string, filter: RecentFilter): Watch {
    const own = [...this.#watches].filter(([, watch]) => watch.organizationId === organizationId);
    const oldest = own.length >= MAX_WATCHES_OF_ONE ? own[0]?.[0] : this.#watches.keys().next().value;
    const isFull = own.length >= MAX_WATCHES_OF_ONE || this.#watches.size >= MAX_WATCHES;
    if (oldest !== undefined && isFull) this.#end(oldest);
    const since = Date.now();
    const timer = setTimeout(() => this.#end(key), WATCH_MS).unref();
    return { organizationId, filter, since, entries: [], last: startOf({ since }), timer };
  }

  #end(key: string): void {
    const watch = this.#watches.get(key);
    if (!watch) return;
    clearTimeout(watch.timer);
    this.#watches.delete(key);
    if (!this.isWatched(watch.organizationId)) this.#onWatched(watch.organizationId, false);
  }
}

/** A later watch has higher numbers, so that a reader who knows a number of an earlier one misses nothing. */
function startOf({ since }: Pick<Watch, "since">): number {
  return since * 1_000;
}
