import { type Database, openDatabase } from "./database.js";
import { startEmbeddedPostgres } from "./embedded/embedded-postgres.js";
import { watchDisk } from "./watch-disk.js";

export interface PostgresOptions {
  url: string | undefined;
  dataDir: string;
  slowQueryMs: number;
  onSlowQuery(sql: string, durationMs: number): void;
  onError(error: Error): void;
  onLog(line: string): void;
  /** Is told about a problem of the embedded server, which is tried again. */
  onProblem(error: Error): void;
}

/** Opens the server of DATABASE_URL, or the embedded one, which is stopped when the database is closed. */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  if (options.url) return openDatabase({ ...options, url: options.url });
  const server = await startEmbeddedPostgres(options);
  const database = openDatabase({ ...options, url: server.url });
  const watching = watchDisk(options.dataDir, database, options.onProblem);
  return {
    ...database,
    async close() {
      await watching.stop();
      await database.close();
      await server.stop();
    },
  };
}
