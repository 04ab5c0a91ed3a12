import { type Database, isDataError } from "./database.js";
import { withPartitions } from "./partitions.js";

/** The columns that are written, each with its type and its value in a row. */
export type Columns<Row> = Record<string, [type: string, value: (row: Row) => string | number]>;

export interface WrittenTable<Row> {
  table: string;
  columns: Columns<Row>;
}

export interface BatchedWriterOptions<Row> extends WrittenTable<Row> {
  database: Database;
  /** Is told about each write that failed, and how many rows were lost since the last time. */
  onError(error: unknown, lostRows: number): void;
}

const WRITE_EVERY_MS = 1_000;
// One insert of this size takes a sixth of a second on two cores; larger ones cost the same for each row.
const ROWS_PER_INSERT = 10_000;
const BYTES_PER_INSERT = 8 * 1024 * 1024;
// So much waits only while the database takes no rows. Then memory matters more than these rows.
const MAX_ROWS = 100_000;
const MAX_BYTES = 32 * 1024 * 1024;

/** A row as it is written: the text of each column. */
interface WaitingRow {
  texts: string[];
  bytes: number;
}

/**
 * Collects rows and writes them together: every second, or at once when there are many. `add` does not wait for the
 * write.
 */
export class BatchedWriter<Row> {
  readonly #options: BatchedWriterOptions<Row>;
  readonly #statement: string;
  /** The rows that are not written yet, the oldest first. */
  readonly #rows: WaitingRow[] = [];
  #bytes = 0;
  #lostRows = 0;
  #isFailing = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #lastWrite: Promise<void> = Promise.resolve();
  /** The write that begins when the present one has ended. */
  #nextWrite: Promise<void> | undefined;

  constructor(options: BatchedWriterOptions<Row>) {
    this.#options = options;
    this.#statement = insertStatement(options.table, options.columns);
  }

  add(rows: readonly Row[]): void {
    for (const row of rows) this.#keep(row);
    const isMuch = this.#rows.length >= ROWS_PER_INSERT || this.#bytes >= BYTES_PER_INSERT;
    // While the database fails, it is tried once a second and not for every row.
    if (isMuch && !this.#isFailing) void this.flush();
    else this.#writeLater();
  }

  /** Writes the rows that were added so far. Rows that cannot be written are tried again later. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#nextWrite) return this.#nextWrite;
    const write = this.#lastWrite.then(() => {
      this.#nextWrite = undefined;
      return this.#write();
    });
    this.#nextWrite = write;
    this.#lastWrite = write;
    return write;
  }

  /** Writes the rows that were added so far. Rows that cannot be written are lost. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.flush();
  }

  #keep(row: Row): void {
    if (this.#rows.length >= MAX_ROWS || this.#bytes >= MAX_BYTES) {
      this.#lostRows += 1;
      return;
    }
    const texts = Object.values(this.#options.columns).map(([, value]) => quote(value(row)));
    const bytes = texts.reduce((sum, text) => sum + text.length, 0);
    this.#rows.push({ texts, bytes });
    this.#bytes += bytes;
  }

  #writeLater(): void {
    this.#timer ??= setTimeout(() => void this.flush(), WRITE_EVERY_MS);
  }

  async #write(): Promise<void> {
    const { database, columns } = this.#options;
    // Rows that are added during the write wait for the next one. Under load there are always some, and each few would
    // be a small insert.
    let left = this.#rows.length;
    while (left > 0) {
      const batch = this.#nextBatch(left);
      try {
        const values = arraysOf(Object.keys(columns).length, batch);
        await withPartitions(database, () => database.prepared(this.#statement, values));
        this.#isFailing = false;
        if (this.#lostRows > 0) this.#report(new Error("The database took rows more slowly than they came."));
      } catch (error) {
        if (!isDataError(error)) {
          this.#keepForLater(error);
          return;
        }
        // The database would refuse these rows every time, and all others would wait behind them.
        this.#lostRows += batch.length;
        this.#report(error);
      }
      this.#rows.splice(0, batch.length);
      for (const { bytes } of batch) this.#bytes -= bytes;
      left -= batch.length;
    }
  }

  /** The first rows for one insert: as many as fit, at least one. */
  #nextBatch(max: number): WaitingRow[] {
    let bytes = 0;
    let count = 0;
    while (count < Math.min(max, ROWS_PER_INSERT) && bytes < BYTES_PER_INSERT) {
      bytes += this.#rows[count]?.bytes ?? 0;
      count += 1;
    }
    return this.#rows.slice(0, count);
  }

  #keepForLater(error: unknown): void {
    this.#isFailing = true;
    if (this.#isClosed) {
      this.#lostRows += this.#rows.splice(0).length;
      this.#bytes = 0;
    } else this.#writeLater();
    this.#report(error);
  }

  #report(error: unknown): void {
    const lostRows = this.#lostRows;
    this.#lostRows = 0;
    this.#options.onError(error, lostRows);
  }
}

function insertStatement<Row>(table: string, columns: Columns<Row>): string {
  const names = Object.keys(columns).join(", ");
  const arrays = Object.values(columns).map(([type], index) => `$${index + 1}::${type}[]`);
  return `insert into ${table} (${names})
    select ${names}
    from unnest(${arrays.join(", ")}) as r (${names})`;
}

/** The values of rows, each column as the text of an array: the driver takes three times as long to write it. */
function arraysOf(columns: number, rows: readonly WaitingRow[]): string[] {
  return Array.from({ length: columns }, (_, column) => `{${rows.map(({ texts }) => texts[column]).join(",")}}`);
}

const SPECIAL = /["\\\0]/;

/** A value in the text of an array. PostgreSQL cannot keep a NUL; the encoding replaces halves of surrogate pairs. */
function quote(value: string | number): string {
  if (typeof value === "number") return String(value);
  if (!SPECIAL.test(value)) return `"${value}"`;
  return `"${value.replace(/["\\]/g, "\\$&").replaceAll("\0", "\ufffd")}"`;
}
