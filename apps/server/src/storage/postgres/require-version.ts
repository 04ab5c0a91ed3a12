import type { Queryable } from "./database.js";

const LEAST_VERSION = 15;

/** Refuses a PostgreSQL that lacks what the server needs. Statements would fail later, one by one. */
export async function requireVersion(database: Queryable): Promise<void> {
  const { rows } = await database.query<{ number: string; version: string }>(
    "select current_setting('server_version_num') as number, current_setting('server_version') as version",
  );
  const [found] = rows;
  if (!found || Number(found.number) >= LEAST_VERSION * 10_000) return;
  throw new Error(
    `The PostgreSQL of DATABASE_URL is version ${found.version}, and Muster needs ${LEAST_VERSION} or later. Move the database to a newer server.`,
  );
}
