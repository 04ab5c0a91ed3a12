import { tableStatements } from "@muster/query";
import type { ClickHouse } from "../../engines/clickhouse.js";
import { CONNECTOR_LOGS_TABLE } from "./connector-logs.js";
import { TRACES_TABLE } from "./traces.js";

/** Creates the tables that are not there yet. */
export async function migrateClickHouse(clickhouse: ClickHouse): Promise<void> {
  for (const statement of [...tableStatements(), TRACES_TABLE, CONNECTOR_LOGS_TABLE])
    await clickhouse.command(statement);
}
