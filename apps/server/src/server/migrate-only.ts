import { join } from "node:path";
import type { Config } from "../runtime/config.js";
import { migrate } from "../storage/postgres/migrate.js";
import { openPostgres } from "../storage/postgres/open-postgres.js";
import { requireVersion } from "../storage/postgres/require-version.js";

/** Brings the schema of the database up to date and does nothing else. Returns the migrations that it has run. */
export async function migrateOnly(config: Config): Promise<string[]> {
  const database = await openPostgres({
    url: config.databaseDirectUrl ?? config.databaseUrl,
    dataDir: join(config.dataDir, "postgres"),
    slowQueryMs: Number.POSITIVE_INFINITY,
    onSlowQuery: () => {},
    // An error that stops the migration is thrown by the statement that it hits.
    onError: () => {},
    onLog: () => {},
    onProblem: () => {},
  });
  try {
    await requireVersion(database);
    return await migrate(database);
  } finally {
    await database.close();
  }
}
