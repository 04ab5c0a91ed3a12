import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  type DuckDBType,
  INTEGER,
  LIST,
  listValue,
  VARCHAR,
} from "@duckdb/node-api";
import { StatementParams } from "@muster/query";
import { Breather } from "../../../../runtime/loops/breather.js";
import type { TableColumn } from "../layout/layout.js";
import { ChunkWriter } from "../rows/chunk-writer.js";
import { ListWriter } from "../rows/list-writer.js";
import type { RowWriter } from "../rows/row-writer.js";
import { prepare, type Row, readRows } from "./engine.js";

const TYPES: Readonly<Record<TableColumn["type"], DuckDBType>> = {
  bigint: BIGINT,
  varchar: VARCHAR,
  double: DOUBLE,
  boolean: BOOLEAN,
  integer: INTEGER,
  "varchar[]": LIST(VARCHAR),
};

// Appending a chunk blocks the event loop, so a chunk has few values. The engine takes chunks of at most 2,048 rows, and a
// chunk of many columns takes much memory, however few rows it has.
const MAX_CHUNK_ROWS = 2_048;
const MIN_CHUNK_ROWS = 128;
const CHUNK_VALUES = 32_000;
/** How many rows are made between two looks at the time. */
const ROWS_PER_LOOK = 32;

// The appender writes its chunks to the table on the thread that calls it: 30 µs a column, however few rows there are. So
// rows of wide tables are inserted by a statement, which runs on a thread of the engine. Its values cost more, but only
// those of columns that are not empty are needed, and in a wide table most are.
const WIDE_COLUMNS = 400;

/** Up to so many keys are compared one by one. More are looked up in a hash table, which costs more to begin with. */
const FEW_KEYS = 64;

/**
 * A transaction on the file of an organization. Deferred statements run together with the next one, because every call of
 * the engine costs a round trip to another thread.
 */
export class FileTransaction {
  readonly databaseName: string;
  readonly #connection: DuckDBConnection;
  readonly #callbacks: (() => void)[] = [];
  #waiting = ["begin"];

  constructor(connection: DuckDBConnection, databaseName: string) {
    this.#connection = connection;
    this.databaseName = databaseName;
  }

  /** Defers a statement until the next one runs. Its text may contain only numbers, names of this program and quoted texts. */
  runLater(sql: string): void {
    this.#waiting.push(sql);
  }

  /**
   * Deletes the rows of a table whose key in `column` is among `keys`, at the latest when the next statement runs. The keys
   * are part of its text: a statement with parameters is planned when it is prepared and again when it runs, and many values
   * are read from one text in half the time that it takes to bind them.
   */
  deleteKeys(table: string, column: string, keys: readonly bigint[], condition = "true"): void {
    if (keys.length === 0) return;
    const list = keys.join(",");
    const among = keys.length <= FEW_KEYS ? list : `select unnest(string_split('${list}', ',')::bigint[])`;
    this.runLater(`delete from ${this.databaseName}.${table} where ${condition} and ${column} in (${among})`);
  }

  /**
   * Runs a statement, and returns how many rows it has written or deleted. `build` adds its values with `add` or `addList`, which return
   * the placeholders `$p0`, `$p1` ….
   */
  async run(build: (params: StatementParams) => string): Promise<number> {
    const params = new StatementParams({ placeholder: (name) => `$${name}` });
    const sql = build(params);
    await this.#runWaiting();
    const prepared = await prepare(this.#connection, { sql, params: params.values });
    try {
      return (await prepared.run()).rowsChanged;
    } finally {
      prepared.destroySync();
    }
  }

  /** Runs a question that sees what the transaction has written. Its text may contain only what this program wrote. */
  async rows<Found extends Row>(sql: string): Promise<Found[]> {
    await this.#runWaiting();
    return readRows(await this.#connection.run(sql)) as Found[];
  }

  /**
   * Appends rows, for most tables several times faster than a statement could. `writeRow` gives the values of a row to the
   * columns of the table.
   */
  async append<Row>(
    table: string,
    columns: readonly TableColumn[],
    rows: readonly Row[],
    writeRow: (row: Row, writer: RowWriter) => void,
  ): Promise<void> {
    if (rows.length === 0) return;
    await this.#runWaiting();
    if (columns.length > WIDE_COLUMNS) return this.#insertWide(table, columns, rows, writeRow);
    const fitting = Math.max(MIN_CHUNK_ROWS, Math.min(MAX_CHUNK_ROWS, Math.floor(CHUNK_VALUES / columns.length)));
    const chunkRows = Math.min(rows.length, fitting);
    const types = columns.map(({ type }) => TYPES[type]);
    const writer = new ChunkWriter(columns, types, chunkRows);
    const breather = new Breather();
    const appender = await this.#connection.createAppender(table, "main", this.databaseName);
    try {
      for (const [index, row] of rows.entries()) {
        if (index % ROWS_PER_LOOK === 0 && breather.isDue) await breather.pause();
        writeRow(row, writer);
        writer.endRow();
        if (writer.rows === chunkRows) appender.appendDataChunk(writer.takeChunk());
      }
      if (writer.rows > 0) appender.appendDataChunk(writer.takeChunk());
      if (breather.isDue) await breather.pause();
    } finally {
      appender.closeSync();
    }
  }

  /** The engine holds two blocks for each column and statement until the transaction ends, so statements have many rows. */
  async #insertWide<Row>(
    table: string,
    columns: readonly TableColumn[],
    rows: readonly Row[],
    writeRow: (row: Row, writer: RowWriter) => void,
  ): Promise<void> {
    const breather = new Breather();
    for (let start = 0; start < rows.length; start += MAX_CHUNK_ROWS) {
      const some = rows.slice(start, start + MAX_CHUNK_ROWS);
      const writer = new ListWriter(columns, some.length);
      for (const row of some) {
        if (breather.isDue) await breather.pause();
        writeRow(row, writer);
        writer.endRow();
      }
      const { filled } = writer;
      const lists = filled.map(({ column }, index) => `unnest($${index + 1}::${column.type}[])`);
      const prepared = await this.#connection.prepare(
        `insert into ${this.databaseName}.${table} (${filled.map(({ column }) => column.name)}) select ${lists}`,
      );
      try {
        for (const [index, { column, values }] of filled.entries()) {
          if (breather.isDue) await breather.pause();
          prepared.bindList(index + 1, listValue(values), LIST(TYPES[column.type]));
        }
        await prepared.run();
      } finally {
        prepared.destroySync();
      }
    }
  }

  /** `callback` runs after the transaction is committed, and not if it fails. */
  onCommit(callback: () => void): void {
    this.#callbacks.push(callback);
  }

  async commit(): Promise<void> {
    this.runLater("commit");
    await this.#runWaiting();
    for (const callback of this.#callbacks) callback();
  }

  async #runWaiting(): Promise<void> {
    if (this.#waiting.length === 0) return;
    const statements = this.#waiting;
    this.#waiting = [];
    await this.#connection.run(statements.join("; "));
  }
}
