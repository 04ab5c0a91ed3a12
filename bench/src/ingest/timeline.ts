import { percentile } from "../lib/percentile.js";

/** What happened in one second of a load. */
export interface Moment {
  second: number;
  /** Entries that were acknowledged in it. */
  entries: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
}

/** Notes acknowledgements second by second. */
export class Timeline {
  readonly #seconds = new Map<number, { entries: number; latencies: number[] }>();

  /** Notes a batch: when it was acknowledged, since the start, and how long that took. */
  note(atMs: number, latencyMs: number, entries: number): void {
    const second = Math.floor(atMs / 1_000);
    const noted = this.#seconds.get(second) ?? { entries: 0, latencies: [] };
    noted.entries += entries;
    noted.latencies.push(latencyMs);
    this.#seconds.set(second, noted);
  }

  /** All whole seconds. The last one is left out, because the load ended in it. */
  moments(): Moment[] {
    const seconds = [...this.#seconds].sort(([one], [other]) => one - other).slice(0, -1);
    return seconds.map(([second, { entries, latencies }]) => ({
      second,
      entries,
      p50Ms: percentile(latencies, 0.5),
      p95Ms: percentile(latencies, 0.95),
      p99Ms: percentile(latencies, 0.99),
    }));
  }
}
