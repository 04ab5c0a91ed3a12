import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { openDatabase } from "../storage/postgres/database.js";
import { startEmbeddedPostgres } from "../storage/postgres/embedded/embedded-postgres.js";
import { migrate } from "../storage/postgres/migrate.js";
import { databaseUrl, TEMPLATE } from "./test-database.js";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

// Several servers run at the same time, some tests start more than one, and each has up to 14 connections.
const CLIENT_LIMIT = 300;

/** Starts one PostgreSQL for the whole run, with a migrated template that every test file copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), "muster-test-"));
  const server = await startEmbeddedPostgres({
    dataDir: join(dataDir, "postgres"),
    disposable: true,
    clientLimit: CLIENT_LIMIT,
    onLog: () => {},
    onProblem: console.error,
  });
  const quiet = { slowQueryMs: 60_000, onSlowQuery: () => {}, onError: () => {} };
  const admin = openDatabase({ url: server.url, ...quiet });
  await admin.query(`create database ${TEMPLATE}`);
  await admin.close();
  const template = openDatabase({ url: databaseUrl(server.url, TEMPLATE), ...quiet });
  await migrate(template);
  await template.close();
  project.provide("postgresUrl", server.url);
  return async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
}
