import type { Queryable } from "../database.js";

/**
 * Tables that are in no backup. The names of migrations are in its header. The other tables are about running processes and
 * browsers: a session that was ended after the backup must not be open again after a restore.
 */
const NOT_COPIED = [
  "migrations",
  "work_claims",
  "lease_holders",
  "held_calls",
  "member_sessions",
  "sign_in_links",
  "used_carried_ids",
];

export interface CopiedTable {
  name: string;
  /** All columns but generated ones, which PostgreSQL computes itself. */
  columns: string[];
  hasTriggers: boolean;
}

/** The tables of a backup, each after the tables that its foreign keys lead to. Partitions are read with their table. */
export async function copiedTables(database: Queryable): Promise<CopiedTable[]> {
  const { rows } = await database.query<CopiedTable & { references: string[] }>(
    `select
       t.relname::text as name,
       array(
         select a.attname::text
         from pg_attribute a
         where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
         order by a.attnum
       ) as columns,
       array(
         select distinct r.relname::text
         from pg_constraint c
         join pg_class r on r.oid = c.confrelid
         where c.conrelid = t.oid and c.contype = 'f' and c.confrelid <> t.oid
       ) as "references",
       exists (select from pg_trigger g where g.tgrelid = t.oid and not g.tgisinternal) as "hasTriggers"
     from pg_class t
     where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and not t.relispartition
       and t.relname <> all ($1)
     order by t.relname`,
    [NOT_COPIED],
  );
  const ordered: CopiedTable[] = [];
  const waiting = new Map(rows.map((row) => [row.name, row]));
  while (waiting.size > 0) {
    const ready = [...waiting.values()].filter(({ references }) => references.every((name) => !waiting.has(name)));
    if (ready.length === 0) throw new Error(`Foreign keys lead in a circle: ${[...waiting.keys()].join(", ")}.`);
    for (const { name, columns, hasTriggers } of ready) {
      ordered.push({ name, columns, hasTriggers });
      waiting.delete(name);
    }
  }
  return ordered;
}
