import { DuckDBInstance } from "@duckdb/node-api";

export interface ParquetContent {
  rows: Record<string, unknown>[];
  /** The type of each column, as SQL names it. */
  types: Record<string, string>;
}

/** Reads a Parquet file with a DuckDB of its own. */
export async function readParquet(path: string): Promise<ParquetContent> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    const reader = await connection.runAndReadAll(`select * from read_parquet('${path.replaceAll("'", "''")}')`);
    const types = reader.columnTypes().map((type, index) => [reader.columnName(index), String(type)]);
    return { rows: reader.getRowObjectsJS() as Record<string, unknown>[], types: Object.fromEntries(types) };
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
