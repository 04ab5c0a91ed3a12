import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
  type DuckDBValue,
  INTEGER,
  LIST,
  listValue,
  VARCHAR,
} from "@duckdb/node-api";
import { StatementParams } from "@muster/query";
import { Breather } from "../../../../runtime/breather.js";
import type { TableColumn } from "../layout/layout.js";
import { type ColumnValues, fillColumn } from "../write/fill-column.js";
import { prepare } from "./engine.js";

const TYPES: Readonly<Record<TableColumn["type"], DuckDBType>> = {
  bigint: BIGINT,
  varchar: VARCHAR,
  double: DOUBLE,
  boolean: BOOLEAN,
  integer: INTEGER,
  "varchar[]": LIST(VARCHAR),
};

// Making the values of a chunk and appending it hold the event loop, so a chunk has few values. The engine takes chunks
// of at most 2,048 rows, and a chunk of many columns takes much memory, however few rows it has.
const MAX_CHUNK_ROWS = 2_048;
const MIN_CHUNK_ROWS = 128;
const CHUNK_VALUES = 8_000;

// The appender writes its chunks to the table on the main thread: 30 µs a column, however few rows there are. So rows of
// wide tables are inserted by a statement, which runs on a thread of the engine. Its values cost more, but only those of
// columns that are not empty are needed, and in a wide table most are.
const WIDE_COLUMNS = 400;

/** A transaction on the file of an organization. */
export class FileTransaction {
  readonly databaseName: string;
  readonly #connection: DuckDBConnection;
  readonly #callbacks: (() => void)[] = [];

  constructor(connection: DuckDBConnection, databaseName: string) {
    this.#connection = connection;
    this.databaseName = databaseName;
  }

  /** Runs a statement. `build` adds its values with `add` or `addList`, which return the placeholders `$p0`, `$p1` …. */
  async run(build: (params: StatementParams) => string): Promise<void> {
    const params = new StatementParams({ placeholder: (name) => `$${name}` });
    const sql = build(params);
    const prepared = await prepare(this.#connection, { sql, params: params.values });
    try {
      await prepared.run();
    } finally {
      prepared.destroySync();
    }
  }

  /**
   * Appends rows, for most tables several times faster than a statement could. `valuesOf` gives the values of some rows by column. All
   * columns are needed.
   */
  async append<Row>(
    table: string,
    columns: readonly TableColumn[],
    rows: readonly Row[],
    valuesOf: (rows: readonly Row[]) => readonly ColumnValues[],
  ): Promise<void> {
    if (rows.length === 0) return;
    if (columns.length > WIDE_COLUMNS) return this.#insertWide(table, columns, rows, valuesOf);
    const types = columns.map(({ type }) => TYPES[type]);
    const chunkRows = Math.max(MIN_CHUNK_ROWS, Math.min(MAX_CHUNK_ROWS, Math.floor(CHUNK_VALUES / columns.length)));
    const breather = new Breather();
    const appender = await this.#connection.createAppender(table, "main", this.databaseName);
    try {
      for (let start = 0; start < rows.length; start += chunkRows) {
        if (breather.isDue) await breather.pause();
        const some = rows.slice(start, start + chunkRows);
        const values = valuesOf(some);
        if (breather.isDue) await breather.pause();
        const chunk = DuckDBDataChunk.create(types, some.length);
        for (const [index, { type }] of columns.entries()) {
          if (breather.isDue) await breather.pause();
          fillColumn(chunk, index, type, values[index] ?? []);
        }
        appender.appendDataChunk(chunk);
      }
      if (breather.isDue) await breather.pause();
    } finally {
      appender.closeSync();
    }
  }

  async #insertWide<Row>(
    table: string,
    columns: readonly TableColumn[],
    rows: readonly Row[],
    valuesOf: (rows: readonly Row[]) => readonly ColumnValues[],
  ): Promise<void> {
    const breather = new Breather();
    for (let start = 0; start < rows.length; start += MAX_CHUNK_ROWS) {
      const some = rows.slice(start, start + MAX_CHUNK_ROWS);
      const filled = (await collectValues(columns, some, valuesOf, breather)).filter(({ values }) =>
        values.some((value) => value !== null),
      );
      const lists = filled.map(({ type }, index) => `unnest($${index + 1}::${type}[])`);
      const prepared = await this.#connection.prepare(
        `insert into ${this.databaseName}.${table} (${filled.map(({ name }) => name)}) select ${lists}`,
      );
      try {
        for (const [index, { type, values: items }] of filled.entries()) {
          if (breather.isDue) await breather.pause();
          prepared.bindList(index + 1, listValue(items), LIST(TYPES[type]));
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
    await this.#connection.run("commit");
    for (const callback of this.#callbacks) callback();
  }
}

/**
 * The values of rows by column, made with pauses. All go into one statement: the engine holds two blocks for each column
 * and statement until the transaction ends.
 */
async function collectValues<Row>(
  columns: readonly TableColumn[],
  rows: readonly Row[],
  valuesOf: (rows: readonly Row[]) => readonly ColumnValues[],
  breather: Breather,
): Promise<(TableColumn & { values: DuckDBValue[] })[]> {
  const collected = columns.map((column) => ({ ...column, values: [] as DuckDBValue[] }));
  for (let start = 0; start < rows.length; start += MIN_CHUNK_ROWS) {
    if (breather.isDue) await breather.pause();
    const values = valuesOf(rows.slice(start, start + MIN_CHUNK_ROWS));
    for (const [index, column] of collected.entries()) column.values.push(...(values[index] ?? []));
  }
  return collected;
}
