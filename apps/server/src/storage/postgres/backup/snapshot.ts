import type { Readable } from "node:stream";
import type { LanePositions } from "../../../domain/entries/lanes.js";
import type { CopySession } from "../copy-session.js";
import type { Database } from "../database.js";
import { readApplied } from "../migrate.js";
import { DAILY_TABLES, listPartitions } from "../partitions.js";
import { BACKUP_LOCK } from "./backup-lock.js";
import { copiedTables } from "./copied-tables.js";

/** What the database was at one moment. */
export interface SnapshotFacts {
  takenAt: Date;
  migrations: string[];
  organizations: { namespace: string; positions: LanePositions }[];
  /** The days of the partitions of each daily table, such as `20260131`. */
  partitions: Record<string, string[]>;
  sequences: { table: string; column: string; value: number }[];
  bytes: number;
}

export interface TableCopy {
  name: string;
  columns: string[];
  /** Starts to read the rows. One table at a time can be read. */
  open(): Readable & { rowCount: number };
}

/** All tables at one moment, however long they are read. Call `close` when done. */
export interface Snapshot {
  facts: SnapshotFacts;
  tables: TableCopy[];
  close(): Promise<void>;
}

export async function openSnapshot(database: Database): Promise<Snapshot> {
  const session = await database.openCopySession();
  try {
    // Taken before the transaction, so that its snapshot begins when no other process alters tables.
    await session.query("select pg_advisory_lock_shared($1)", [BACKUP_LOCK]);
    await session.query("begin transaction isolation level repeatable read read only");
    return await readSnapshot(session);
  } catch (error) {
    await session.close();
    throw error;
  }
}

async function readSnapshot(session: CopySession): Promise<Snapshot> {
  const { rows } = await session.query<{ now: Date; bytes: number }>(
    `select now() as now, coalesce(sum(pg_table_size(oid)), 0)::bigint as bytes
     from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  );
  const tables = await copiedTables(session);
  return {
    facts: {
      takenAt: rows[0]!.now,
      bytes: rows[0]!.bytes,
      migrations: [...(await readApplied(session)).keys()].sort(),
      organizations: await readOrganizations(session),
      partitions: await readPartitions(session),
      sequences: await readSequences(session),
    },
    tables: tables.map(({ name, columns }) => ({
      name,
      columns,
      open: () =>
        session.copyOut(
          `copy (select ${columns.map(quoted).join(", ")} from ${quoted(name)}) to stdout (format binary)`,
        ),
    })),
    close: () => session.close(),
  };
}

async function readOrganizations(session: CopySession): Promise<SnapshotFacts["organizations"]> {
  const { rows } = await session.query<{ namespace: string; positions: LanePositions | null }>(
    // If the log is elsewhere, the backup contains what was applied from it.
    `select o.namespace, (
         select json_object_agg(h.lane, case when h.is_elsewhere then coalesce(c.position, 0) else h.position end)
         from log_heads h
         left join apply_cursors c using (organization_id, lane)
         where h.organization_id = o.id
       ) as positions
     from organizations o
     where o.deleted_at is null
     order by o.namespace`,
  );
  return rows.map(({ namespace, positions }) => ({ namespace, positions: positions ?? {} }));
}

async function readPartitions(session: CopySession): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const table of DAILY_TABLES) {
    found[table] = (await listPartitions(session, table)).map((name) => name.slice(table.length + 1));
  }
  return found;
}

/** Sequences that no row has used yet have no value. */
async function readSequences(session: CopySession): Promise<SnapshotFacts["sequences"]> {
  const { rows } = await session.query<{ table: string; column: string; value: number }>(
    `select t.relname as table, a.attname as column, pg_sequence_last_value(d.objid) as value
     from pg_depend d
     join pg_class s on s.oid = d.objid and s.relkind = 'S'
     join pg_class t on t.oid = d.refobjid and t.relnamespace = 'public'::regnamespace
     join pg_attribute a on a.attrelid = t.oid and a.attnum = d.refobjsubid
     where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i')
       and pg_sequence_last_value(d.objid) is not null
     order by 1, 2`,
  );
  return rows;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
