import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { openDatabase } from "../storage/postgres/database.js";
import { startEmbeddedPostgres } from "../storage/postgres/embedded/embedded-postgres.js";
import { createPartitions } from "../storage/postgres/partitions.js";
import { copyCluster, createPostgresTemplate } from "./postgres-template.js";
import { databaseUrl, SERVER_TEMPLATE, TEMPLATE } from "./test-database.js";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
    /** A stopped cluster with the schema of this version, to be copied. */
    postgresTemplate: string;
  }
}

// Several servers run at the same time, some tests start more than one, and each has up to 14 connections.
const CLIENT_LIMIT = 300;

/** Starts one PostgreSQL for the whole run, with the templates that test files copy. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "muster-test-"));
  const template = join(folder, "template");
  await createPostgresTemplate(template);
  const dataDir = join(folder, "postgres");
  await copyCluster(template, dataDir);
  const server = await startEmbeddedPostgres({
    dataDir,
    disposable: true,
    clientLimit: CLIENT_LIMIT,
    onLog: () => {},
    onProblem: console.error,
  });
  const open = (url: string) => openDatabase({ url, slowQueryMs: 60_000, onSlowQuery: () => {}, onError: () => {} });
  const admin = open(server.url);
  // Each connection of a test derives a key from the password, and PostgreSQL asks for 4096 rounds otherwise.
  const { username, password } = new URL(server.url);
  await admin.query(`set scram_iterations = 1; alter role ${username} password '${password}'`);
  await admin.query(`create database ${TEMPLATE} template postgres`);
  await admin.query(`create database ${SERVER_TEMPLATE} template ${TEMPLATE}`);
  await admin.close();
  const started = open(databaseUrl(server.url, SERVER_TEMPLATE));
  await createPartitions(started, new Date());
  await started.close();
  project.provide("postgresUrl", server.url);
  project.provide("postgresTemplate", template);
  return async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
