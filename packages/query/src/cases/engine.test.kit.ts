import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@clickhouse/client";
import { createChdbConnection } from "chdb/connection";
import type { Statement } from "../compile/statement.js";
import { insertAccounts, insertEvents, insertMemberships, insertUsers } from "../rows/insert-rows.js";
import { tableStatements } from "../tables.js";
import { ACCOUNTS, EVENTS, MEMBERSHIPS, typeOf, USERS } from "./dataset.test.data.js";

type ClientConfig = NonNullable<Parameters<typeof createClient>[0]>;

export interface Engine {
  readonly command: (sql: string) => Promise<void>;
  readonly rows: <Row>(statement: Statement) => Promise<Row[]>;
  readonly close: () => Promise<void>;
}

/** The real engine in a directory of its own, with the tables and nothing in them. */
export async function openEngine(): Promise<Engine> {
  const path = await mkdtemp(join(tmpdir(), "muster-query-"));
  // chdb types its connection against its own copy of the client's types.
  const connection = createChdbConnection({ path }) as unknown as ClientConfig["connection"];
  const client = createClient({ connection });
  const command = async (query: string) => {
    await client.command({ query });
  };
  for (const statement of tableStatements()) await command(statement);
  return {
    command,
    rows: async <Row>({ sql, params }: Statement) => {
      const result = await client.query({ query: sql, query_params: params, format: "JSONEachRow" });
      return result.json<Row>();
    },
    close: async () => {
      await client.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}

/** Rows that replace others come in parts of their own, as they would in life. */
export async function openDataset(): Promise<Engine> {
  const engine = await openEngine();
  const half = Math.floor(USERS.length / 2);
  await engine.command(insertUsers(USERS.slice(0, half), typeOf("user")));
  await engine.command(insertUsers(USERS.slice(half), typeOf("user")));
  await engine.command(insertAccounts(ACCOUNTS, typeOf("account")));
  await engine.command(insertEvents(EVENTS.slice(0, 13)));
  await engine.command(insertEvents(EVENTS.slice(13)));
  await engine.command(insertMemberships(MEMBERSHIPS.slice(0, 6)));
  await engine.command(insertMemberships(MEMBERSHIPS.slice(6)));
  return engine;
}
