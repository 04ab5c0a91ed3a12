import type { Config } from "../runtime/settings/config.js";
import { migrate } from "../storage/postgres/migrate.js";
import { requireVersion } from "../storage/postgres/require-version.js";
import { namingEngine, POSTGRES } from "./engine-failure.js";
import { openPostgresOnce } from "./open-postgres-once.js";

/** Brings the schema of the database up to date and does nothing else. Returns the migrations that it has run. */
export async function migrateOnly(config: Config): Promise<string[]> {
  const database = await openPostgresOnce(config, config.databaseDirectUrl ?? config.databaseUrl);
  try {
    await namingEngine(config.databaseUrl === undefined ? undefined : POSTGRES, () => requireVersion(database));
    return await migrate(database);
  } finally {
    await database.close();
  }
}
