import { type Database, isDataError, isMissingPartition } from "./database.js";
import { withPartitions } from "./partitions.js";
import { type BufferedItem, SharedBuffer } from "./shared-buffer.js";

/** The columns that are written, each with its type and its value in a row. */
export type Columns<Row> = Record<string, [type: string, value: (row: Row) => string | number]>;

export interface WrittenTable<Row extends OrganizationRow> {
  table: string;
  columns: Columns<Row>;
}

export interface OrganizationRow {
  organizationId: string;
}

export interface BatchedWriterOptions<Row extends OrganizationRow> extends WrittenTable<Row> {
  database: Database;
  /** Called for each failed write, with the number of rows that were lost since the last call and some of their organizations. */
  onError(error: unknown, lostRows: number, organizationIds: string[]): void;
}

/** A row as the values of its columns, each as it stands in the text of an array. */
interface EncodedRow extends BufferedItem {
  values: string[];
}

const WRITE_EVERY_MS = 1_000;
// One insert of so many rows takes a sixth of a second on two cores; larger ones cost the same for each row. PostgreSQL
// takes statements up to 1 GB, and each one is in memory several times.
const INSERT_LIMITS = { count: 10_000, bytes: 8 * 1024 * 1024 };
// So many rows wait only while the database accepts no writes. Then memory matters more than these rows.
const BUFFER_LIMITS = { count: 100_000, bytes: 32 * 1024 * 1024 };
// What a row takes in memory besides its texts.
const ROW_BYTES = 200;
const NAMED_ORGANIZATIONS = 10;

/**
 * Collects rows and writes them together: every second, or at once when there are many. `add` does not wait for the
 * write. A row that the database refuses is lost alone. When rows come faster than they can be written, the organization
 * that sends the most loses its own.
 */
export class BatchedWriter<Row extends OrganizationRow> {
  readonly #options: BatchedWriterOptions<Row>;
  readonly #statement: string;
  readonly #values: ((row: Row) => string | number)[];
  readonly #rows = new SharedBuffer<EncodedRow>(BUFFER_LIMITS);
  #lostRows = 0;
  /** Why rows were lost, if the database or a row is the reason. */
  #lossError: unknown;
  readonly #losers = new Set<string>();
  #isFailing = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;
  #lastWrite: Promise<void> = Promise.resolve();
  /** The write that begins when the present one has ended. */
  #nextWrite: Promise<void> | undefined;

  constructor(options: BatchedWriterOptions<Row>) {
    this.#options = options;
    this.#statement = insertStatement(options.table, options.columns);
    this.#values = Object.values(options.columns).map(([, value]) => value);
  }

  /** Returns how many of the rows were taken. */
  add(rows: readonly Row[]): number {
    let taken = 0;
    for (const row of rows) {
      const encoded = this.#encode(row);
      if (!encoded) continue;
      const dropped = this.#rows.add(encoded);
      if (!dropped.includes(encoded)) taken += 1;
      for (const { organizationId } of dropped) this.#lose(organizationId);
    }
    // While the database fails, the write is retried once a second and not for every row.
    const isMuch = this.#rows.count >= INSERT_LIMITS.count || this.#rows.bytes >= INSERT_LIMITS.bytes;
    if (isMuch && !this.#isFailing) void this.flush();
    else this.#writeLater();
    return taken;
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

  #encode(row: Row): EncodedRow | undefined {
    const { organizationId } = row;
    try {
      let bytes = ROW_BYTES;
      const values = this.#values.map((value) => {
        const text = quote(value(row));
        bytes += text.length;
        return text;
      });
      return { organizationId, values, bytes };
    } catch (error) {
      this.#lose(organizationId, error);
      return undefined;
    }
  }

  #lose(organizationId: string, error?: unknown): void {
    this.#lostRows += 1;
    this.#lossError ??= error;
    if (this.#losers.size < NAMED_ORGANIZATIONS) this.#losers.add(organizationId);
  }

  #writeLater(): void {
    this.#timer ??= setTimeout(() => void this.flush(), WRITE_EVERY_MS);
  }

  async #write(): Promise<void> {
    // Rows that are added during the write wait for the next one. Under load there are always some, and each few would
    // be a small insert.
    let left = this.#rows.count;
    while (left > 0) {
      const batch = this.#rows.take({ ...INSERT_LIMITS, count: Math.min(left, INSERT_LIMITS.count) });
      if (batch.length === 0) break;
      try {
        await this.#insert(batch);
        this.#isFailing = false;
      } catch (error) {
        this.#keepForLater(error);
        return;
      }
      this.#rows.settle(batch);
      left -= batch.length;
    }
    if (this.#lostRows > 0) {
      this.#report(this.#lossError ?? new Error("The database took rows more slowly than they came."));
    }
  }

  /** Inserts rows. Drops rows that the database would refuse every time, so that they do not block other rows. */
  async #insert(rows: readonly EncodedRow[]): Promise<void> {
    try {
      const { database } = this.#options;
      await withPartitions(database, () => database.prepared(this.#statement, arraysOf(rows)));
    } catch (error) {
      if (!isDataError(error) || isMissingPartition(error)) throw error;
      const [only] = rows;
      if (only && rows.length === 1) {
        this.#lose(only.organizationId, error);
        return;
      }
      const middle = Math.ceil(rows.length / 2);
      await this.#insert(rows.slice(0, middle));
      await this.#insert(rows.slice(middle));
    }
  }

  #keepForLater(error: unknown): void {
    this.#isFailing = true;
    this.#rows.putBack();
    if (this.#isClosed) for (const { organizationId } of this.#rows.clear()) this.#lose(organizationId);
    else this.#writeLater();
    this.#report(error);
  }

  #report(error: unknown): void {
    const [lostRows, losers] = [this.#lostRows, [...this.#losers]];
    this.#lostRows = 0;
    this.#lossError = undefined;
    this.#losers.clear();
    this.#options.onError(error, lostRows, losers);
  }
}

function insertStatement<Row>(table: string, columns: Columns<Row>): string {
  const names = Object.keys(columns).join(", ");
  const arrays = Object.values(columns).map(([type], index) => `$${index + 1}::${type}[]`);
  return `insert into ${table} (${names})
    select ${names}
    from unnest(${arrays.join(", ")}) as r (${names})`;
}

/** The values of rows, each column as the text of an array. The driver takes three times as long to serialise it. */
function arraysOf([first, ...others]: readonly EncodedRow[]): string[] {
  if (!first) return [];
  return first.values.map((value, index) => `{${[value, ...others.map(({ values }) => values[index])].join(",")}}`);
}

const SPECIAL = /["\\\0]/;

/** A value in the text of an array. PostgreSQL cannot keep a NUL; the encoding replaces halves of surrogate pairs. */
function quote(value: string | number): string {
  if (typeof value === "number") return String(value);
  if (!SPECIAL.test(value)) return `"${value}"`;
  return `"${value.replace(/["\\]/g, "\\$&").replaceAll("\0", "\ufffd")}"`;
}
