import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  type DuckDBType,
  INTEGER,
  LIST,
  VARCHAR,
} from "@duckdb/node-api";
import { StatementParams } from "@muster/query";
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

// The maximum number of rows of a data chunk.
const CHUNK_ROWS = 2_048;

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

  /** Appends rows, given as values by column, which is several times faster than a statement. All columns are needed. */
  async append(table: string, columns: readonly TableColumn[], values: readonly ColumnValues[]): Promise<void> {
    const rows = values[0]?.length ?? 0;
    if (rows === 0) return;
    const types = columns.map(({ type }) => TYPES[type]);
    const appender = await this.#connection.createAppender(table, "main", this.databaseName);
    try {
      for (let start = 0; start < rows; start += CHUNK_ROWS) {
        const end = Math.min(rows, start + CHUNK_ROWS);
        const chunk = DuckDBDataChunk.create(types, end - start);
        columns.forEach(({ type }, index) => {
          fillColumn(chunk, index, type, (values[index] ?? []).slice(start, end));
        });
        appender.appendDataChunk(chunk);
      }
    } finally {
      appender.closeSync();
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
