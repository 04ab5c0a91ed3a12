import { countStatement } from "@muster/query";
import type { ClickHouse } from "../../engines/clickhouse.js";
import type { ExtractSource } from "./extract-rows.js";

/** How many rows an extract will have, as far as that is known before it is done. */
export async function countRows(clickhouse: ClickHouse, { query, segments: _, ...options }: ExtractSource) {
  const { sql, params } = countStatement(query, options);
  const [row] = await clickhouse.rows<{ count: number }>(sql, params);
  return row?.count ?? 0;
}
