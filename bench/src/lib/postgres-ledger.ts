import type { PostgresKind } from "./process-kind.js";

/** The processor time of one process of PostgreSQL up to now. */
export interface ProcessReading {
  pid: number;
  kind: PostgresKind;
  ownMs: number;
  /** The time of its children that have ended. */
  endedMs: number;
}

interface Account {
  kind: PostgresKind;
  firstMs: number;
  lastMs: number;
  firstEndedMs: number;
  lastEndedMs: number;
}

/**
 * Adds up the processor time of PostgreSQL's processes by kind. A backend ends when its connection has been idle for long,
 * and the kernel then keeps only the sum of all ended children. So the last reading of each process is kept.
 */
export class PostgresLedger {
  readonly #accounts = new Map<number, Account>();
  #present = new Set<number>();
  #isFirst = true;

  note(readings: readonly ProcessReading[]): void {
    this.#present = new Set(readings.map(({ pid }) => pid));
    for (const { pid, kind, ownMs, endedMs } of readings) {
      // A process that came later has used all of its time since the start.
      const known = this.#accounts.get(pid) ?? {
        kind,
        firstMs: this.#isFirst ? ownMs : 0,
        lastMs: ownMs,
        firstEndedMs: this.#isFirst ? endedMs : 0,
        lastEndedMs: endedMs,
      };
      this.#accounts.set(pid, { ...known, kind, lastMs: ownMs, lastEndedMs: endedMs });
    }
    this.#isFirst = false;
  }

  /** What was used since the first reading. Ended processes that were never seen count as background: most are of autovacuum. */
  spent(): { backends: number; background: number } {
    const spent = { backends: 0, background: 0 };
    let unseen = 0;
    for (const [pid, { kind, firstMs, lastMs, firstEndedMs, lastEndedMs }] of this.#accounts) {
      spent[kind === "backend" ? "backends" : "background"] += lastMs - firstMs;
      unseen += lastEndedMs - firstEndedMs - (this.#present.has(pid) ? 0 : lastMs);
    }
    return { ...spent, background: spent.background + Math.max(0, unseen) };
  }
}
