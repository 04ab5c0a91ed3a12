import type { Queryable } from "./database.js";

/** Throws when the connections behind a pooler, to which no settings can be sent, are not as the server needs them. */
export async function requirePoolerSettings(database: Queryable): Promise<void> {
  const { rows } = await database.query<{ zone: string; role: string }>(
    "select current_setting('timezone') as zone, quote_ident(current_user) as role",
  );
  const { zone = "", role = "" } = rows[0] ?? {};
  if (zone === "UTC" || zone === "Etc/UTC") return;
  throw new Error(
    `DATABASE_URL is a pooler, and its connections have the time zone ${zone}. Run this in the database: alter role ${role} set timezone = 'UTC'. Then restart the pooler.`,
  );
}
