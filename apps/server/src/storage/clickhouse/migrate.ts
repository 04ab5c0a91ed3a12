import { tableStatements } from "@muster/query";
import type { ClickHouse } from "../../engines/clickhouse.js";

/** Creates the tables that are not there yet. */
export async function migrateClickHouse(clickhouse: ClickHouse): Promise<void> {
  for (const statement of tableStatements()) await clickhouse.command(statement);
}
