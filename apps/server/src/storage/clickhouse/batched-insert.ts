import type { ClickHouse } from "../../engines/clickhouse.js";

export interface BatchedInsertOptions {
  clickhouse: ClickHouse;
  /** Table and columns, e.g. `traces (org, entity_id)`. */
  into: string;
  onError(error: unknown, lostRows: number): void;
}

const FLUSH_EVERY_MS = 1_000;
// ClickHouse likes few large inserts; beyond the second number the engine is not taking any, and memory is worth more.
const FLUSH_ROWS = 10_000;
const MAX_ROWS = 100_000;

/** Gathers rows and writes them together, every second or when there are many. */
export class BatchedInsert {
  readonly #options: BatchedInsertOptions;
  #rows: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: BatchedInsertOptions) {
    this.#options = options;
  }

  /** Adds rows, by column. */
  add(rows: readonly Record<string, unknown>[]): void {
    for (const row of rows) this.#rows.push(JSON.stringify(row));
    if (this.#rows.length >= FLUSH_ROWS) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), FLUSH_EVERY_MS);
  }

  /** Writes what was added so far. What cannot be written is tried again with what comes later. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    const rows = this.#rows;
    if (rows.length === 0) return;
    this.#rows = [];
    const { clickhouse, into, onError } = this.#options;
    try {
      await clickhouse.command(`insert into ${into} format JSONEachRow\n${rows.join("\n")}`);
    } catch (error) {
      const kept = rows.slice(0, Math.max(0, MAX_ROWS - this.#rows.length));
      this.#rows = [...kept, ...this.#rows];
      this.#timer ??= setTimeout(() => void this.flush(), FLUSH_EVERY_MS);
      onError(error, rows.length - kept.length);
    }
  }
}

/** A time as ClickHouse reads it. */
export function clickhouseTime(date: Date): string {
  return date.toISOString().replace("T", " ").replace("Z", "");
}
