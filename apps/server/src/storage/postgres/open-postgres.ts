import { type Database, openDatabase } from "./database.js";
import { startEmbeddedPostgres } from "./embedded/embedded-postgres.js";
import { watchDisk } from "./watch-disk.js";

export interface PostgresOptions {
  url: string | undefined;
  directUrl?: string | undefined;
  maxConnections?: number;
  dataDir: string;
  slowQueryMs: number;
  onSlowQuery(sql: string, durationMs: number): void;
  onError(error: Error): void;
  onLog(line: string): void;
  /** Is told about a problem of the embedded server, which is tried again. */
  onProblem(error: Error): void;
  /** Is told each second whether the embedded server takes writes: not while its disk is nearly full. */
  onReadOnly?(isReadOnly: boolean): void;
}

export interface OpenedPostgres extends Database {
  /** Where other threads connect to it. It has the password. */
  readonly url: string;
}

/** Opens the server of DATABASE_URL, or the embedded one, which is stopped when the database is closed. */
export async function openPostgres(options: PostgresOptions): Promise<OpenedPostgres> {
  const { url, onReadOnly } = options;
  if (url) return { ...openDatabase({ ...options, url }), url };
  const server = await startEmbeddedPostgres(options);
  const database = openDatabase({ ...options, url: server.url });
  const setReadOnly = (isReadOnly: boolean) => {
    database.setReadOnly(isReadOnly);
    onReadOnly?.(isReadOnly);
  };
  const watching = watchDisk(options.dataDir, { setReadOnly }, options.onProblem);
  return {
    ...database,
    url: server.url,
    async close() {
      await watching.stop();
      await database.close();
      await server.stop();
    },
  };
}
