import { createClient } from "@clickhouse/client";
import { type ClickHouse, type QueryParams, SESSION_SETTINGS } from "./clickhouse.js";

/** Speaks to a ClickHouse server by URL (`http://user:password@host:8123/database`). */
export async function openRemoteClickHouse(url: string): Promise<ClickHouse> {
  const client = createClient({ url, clickhouse_settings: SESSION_SETTINGS });
  const ping = await client.ping();
  if (!ping.success) {
    throw new Error(`The ClickHouse server of CLICKHOUSE_URL does not answer: ${ping.error.message}`, {
      cause: ping.error,
    });
  }
  return {
    async rows<Row>(sql: string, params: QueryParams = {}) {
      const answer = await client.query({ query: sql, query_params: params, format: "JSONEachRow" });
      return (await answer.json()) as Row[];
    },
    async command(sql, params = {}) {
      await client.command({ query: sql, query_params: params });
    },
    async *stream(sql, params, format) {
      const answer = await client.exec({ query: `${sql} format ${format}`, query_params: params });
      for await (const chunk of answer.stream) yield chunk as Uint8Array;
    },
    async close() {
      await client.close();
    },
  };
}
