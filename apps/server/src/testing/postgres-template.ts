import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { openDatabase } from "../storage/postgres/database.js";
import { startEmbeddedPostgres } from "../storage/postgres/embedded/embedded-postgres.js";
import { migrate } from "../storage/postgres/migrate.js";

/** Creates a cluster of the embedded PostgreSQL with the schema of this version and no rows, and stops it. */
export async function createPostgresTemplate(dataDir: string): Promise<void> {
  const server = await startEmbeddedPostgres({ dataDir, disposable: true, onLog: () => {}, onProblem: console.error });
  const database = openDatabase({ url: server.url, slowQueryMs: 60_000, onSlowQuery: () => {}, onError: () => {} });
  await migrate(database);
  await database.close();
  await server.stop();
}

/**
 * Copies a stopped cluster and its password. A server that starts with the copy skips `initdb` and the migrations, which
 * are most of the work of a first start.
 */
export async function copyCluster(source: string, dataDir: string): Promise<void> {
  await mkdir(dirname(dataDir), { recursive: true, mode: 0o700 });
  // With the owner of the files, because PostgreSQL does not run as root.
  await promisify(execFile)("cp", ["-a", source, dataDir]);
  await promisify(execFile)("cp", ["-a", `${source}.password`, `${dataDir}.password`]);
}
