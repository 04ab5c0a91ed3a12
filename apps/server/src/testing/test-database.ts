import { randomBytes } from "node:crypto";
import { inject } from "vitest";
import { type Database, openDatabase } from "../storage/postgres/database.js";

/** A migrated database. */
export const TEMPLATE = "muster_template";
/** A migrated database with the daily partitions, which a server creates when it starts. They cost it as much as all the rest. */
export const SERVER_TEMPLATE = "muster_server_template";

export function databaseUrl(serverUrl: string, name: string): string {
  return serverUrl.replace(/\/postgres\?/, `/${name}?`);
}

/** Creates a database for a test file as a copy of the migrated template, in about 30 ms. Returns its URL. */
export async function createTestDatabase(): Promise<string> {
  return createDatabase(TEMPLATE);
}

/** Creates a database for a server. Returns its URL. */
export async function createServerDatabase(): Promise<string> {
  return createDatabase(SERVER_TEMPLATE);
}

/** Removes a database with its connections. Otherwise the autovacuum would visit the databases of all tests until the end of the run. */
export async function dropTestDatabase(url: string): Promise<void> {
  const admin = openQuietly(inject("postgresUrl"));
  await admin.query(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
  await admin.close();
}

/** Creates a database without any table. Returns its URL. */
export async function createEmptyDatabase(): Promise<string> {
  return createDatabase("template0");
}

async function createDatabase(template: string): Promise<string> {
  const serverUrl = inject("postgresUrl");
  const name = `test_${randomBytes(6).toString("hex")}`;
  const admin = openQuietly(serverUrl);
  // Copying the files takes less than half of the processor time of copying their pages through the log, which is the default.
  await admin.query(`create database ${name} template ${template} strategy file_copy`);
  await admin.close();
  return databaseUrl(serverUrl, name);
}

/** Opens a new database, for tests of the store alone. The test closes it. */
export async function openTestDatabase(): Promise<Database> {
  return openQuietly(await createTestDatabase());
}

/** Opens a database that exists, with `directUrl` through a pooler. The test closes it. */
export function openQuietly(url: string, directUrl?: string): Database {
  return openDatabase({ url, directUrl, slowQueryMs: 60_000, onSlowQuery: () => {}, onError: () => {} });
}
