import type { Writable } from "node:stream";
import { BackupError } from "../../../runtime/backup-file/backup-format.js";
import type { CopySession } from "../copy-session.js";
import type { Transaction } from "../database.js";
import { runMigrations } from "../migrate.js";
import { readMigrationFiles } from "../migration-files.js";
import { createPartition, DAILY_TABLES } from "../partitions.js";
import { type CopiedTable, copiedTables } from "./copied-tables.js";
import type { SnapshotFacts } from "./snapshot.js";

/**
 * Fills an empty database with the tables of a backup, in one transaction. Its schema is made by the migrations that the
 * backup had; `finish` runs the later ones.
 */
export class TableLoader {
  readonly #session: CopySession;
  readonly #tx: Transaction;
  readonly #tables: Map<string, CopiedTable>;
  readonly #unfilled: Set<string>;

  private constructor(session: CopySession, tx: Transaction, tables: CopiedTable[]) {
    this.#session = session;
    this.#tx = tx;
    this.#tables = new Map(tables.map((table) => [table.name, table]));
    this.#unfilled = new Set(this.#tables.keys());
  }

  /** Begins the transaction. The session must not be used for anything else. */
  static async begin(
    session: CopySession,
    { migrations, partitions }: Pick<SnapshotFacts, "migrations" | "partitions">,
  ): Promise<TableLoader> {
    const { query, prepared } = session;
    const tx: Transaction = { isTransaction: true, query, prepared };
    await session.query("begin");
    const files = await readMigrationFiles();
    await runMigrations(
      tx,
      files.filter(({ name }) => migrations.includes(name)),
    );
    for (const table of DAILY_TABLES) {
      for (const day of partitions[table] ?? []) await createPartition(tx, table, timeOf(day));
    }
    const tables = await copiedTables(tx);
    // Counts that triggers keep are in the backup as well.
    for (const { name, hasTriggers } of tables)
      if (hasTriggers) await tx.query(`alter table ${name} disable trigger user`);
    return new TableLoader(session, tx, tables);
  }

  /** Takes the rows of a table. The stream finishes when PostgreSQL has all of them. */
  open(name: string, columns: readonly string[]): Writable & { rowCount: number } {
    const table = this.#tables.get(name);
    if (!table || !this.#unfilled.delete(name) || !columns.every((column) => table.columns.includes(column))) {
      // The database has the tables of the backup's own migrations, so the backup itself cannot name another one.
      throw new BackupError(
        `The backup is damaged in the table ${name}: its head names an unknown table or column. Use another one.`,
      );
    }
    const list = columns.map((column) => `"${column}"`).join(", ");
    return this.#session.copyIn(`copy ${name} (${list}) from stdin (format binary)`);
  }

  /** Sets sequences, requests a rebuild of the question engine, and runs the migrations that the backup did not have. */
  async finish(sequences: SnapshotFacts["sequences"]): Promise<Transaction> {
    if (this.#unfilled.size > 0) throw new BackupError(`The backup lacks the table ${[...this.#unfilled].join(", ")}.`);
    for (const { table, column, value } of sequences) {
      await this.#tx.query("select setval(pg_get_serial_sequence($1, $2), $3)", [table, column, value]);
    }
    for (const { name, hasTriggers } of this.#tables.values()) {
      if (hasTriggers) await this.#tx.query(`alter table ${name} enable trigger user`);
    }
    await runMigrations(this.#tx, await readMigrationFiles());
    // A question engine that another server has filled is not taken for ours.
    await this.#tx.query("update project_cursors set generation = gen_random_uuid()::text");
    return this.#tx;
  }

  async commit(): Promise<void> {
    // Without statistics the first queries would get bad plans. This runs before the commit, so that nothing slow or
    // fallible is left after the commit.
    await this.#session.query("analyze");
    await this.#session.query("commit");
  }
}

/** Whether a database has no table yet. */
export async function isEmptyDatabase(session: Pick<CopySession, "query">): Promise<boolean> {
  const { rows } = await session.query<{ empty: boolean }>(
    `select not exists (
       select from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
     ) as empty`,
  );
  return rows[0]?.empty ?? false;
}

function timeOf(day: string): number {
  const time = Date.parse(day.replace(/^(\d{4})(\d\d)(\d\d)$/, "$1-$2-$3"));
  if (Number.isNaN(time)) throw new BackupError(`"${day}" in the backup is not a day.`);
  return time;
}
