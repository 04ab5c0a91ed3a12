import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

export interface DatabaseUnderTest {
  readonly url: string;
  /** A connection to the database. */
  readonly client: pg.Client;
  /** The rows that a statement returns. */
  rows(sql: string): Promise<Record<string, unknown>[]>;
}

/** Creates an empty database for the test file, on the PostgreSQL server that the test run shares, and drops it after. */
export function setUpDatabase(): DatabaseUnderTest {
  const serverUrl = inject("postgresUrl");
  const name = `connector_${randomBytes(4).toString("hex")}`;
  const url = Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
  const admin = new pg.Client(serverUrl);
  const client = new pg.Client(url);
  beforeAll(async () => {
    await admin.connect();
    await admin.query(`create database ${name}`);
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  });
  return { url, client, rows: async (sql) => (await client.query(sql)).rows };
}
