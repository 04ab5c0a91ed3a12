import { type ClickHouse, watchSlowQueries } from "./clickhouse.js";
import { openEmbeddedClickHouse } from "./embedded-clickhouse.js";
import { openRemoteClickHouse } from "./remote-clickhouse.js";

export interface ClickHouseOptions {
  url: string | undefined;
  dataDir: string;
  memoryBytes: number;
  slowQueryMs: number;
  onSlowQuery(sql: string, durationMs: number): void;
}

/** The server of CLICKHOUSE_URL, or else the embedded engine under the data directory. */
export async function openClickHouse(options: ClickHouseOptions): Promise<ClickHouse> {
  const engine = options.url ? await openRemoteClickHouse(options.url) : await openEmbeddedClickHouse(options);
  return watchSlowQueries(engine, options.slowQueryMs, options.onSlowQuery);
}
