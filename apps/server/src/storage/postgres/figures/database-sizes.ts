import type { Queryable } from "../database.js";
import { readApplied } from "../migrate.js";

export interface DatabaseSizes {
  /** As PostgreSQL names itself, such as `18.4`. */
  version: string;
  bytes: number;
  /** The largest tables with their indexes, partitions counted with their table. */
  tables: { name: string; bytes: number }[];
}

export async function readDatabaseBytes(database: Queryable): Promise<number> {
  const { rows } = await database.query<{ bytes: number }>("select pg_database_size(current_database()) as bytes");
  return rows[0]?.bytes ?? 0;
}

/** Reads the sizes of files, without reading the tables. */
export async function readDatabaseSizes(database: Queryable, maxTables: number): Promise<DatabaseSizes> {
  const [bytes, version, tables] = await Promise.all([
    readDatabaseBytes(database),
    database.query<{ version: string }>("select current_setting('server_version') as version"),
    database.query<{ name: string; bytes: number }>(
      `select t.relname as name, sum(pg_total_relation_size(coalesce(p.inhrelid, t.oid)))::bigint as bytes
       from pg_class t
       left join pg_inherits p on p.inhparent = t.oid
       where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
       group by t.relname
       order by bytes desc, name
       limit $1`,
      [maxTables],
    ),
  ]);
  return { version: version.rows[0]?.version.split(" ")[0] ?? "", bytes, tables: tables.rows };
}

/** The name of the newest migration that the database has. */
export async function readSchemaVersion(database: Queryable): Promise<string> {
  const names = [...(await readApplied(database)).keys()].sort();
  return names.at(-1)?.replace(/\.sql$/, "") ?? "";
}
