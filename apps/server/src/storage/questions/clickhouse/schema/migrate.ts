import type { Statements } from "../client/statements.js";
import type { Layout, TableDefinition } from "./layout.js";
import { FIRST_TABLES } from "./tables.js";

/**
 * A migration of the tables. A released migration is never edited; a later one makes further changes. It must be possible
 * to run a migration twice, because the process may crash before it is recorded.
 */
export interface Migration {
  readonly version: number;
  readonly statements: (layout: Layout) => string[];
}

const MIGRATIONS: readonly Migration[] = [
  { version: 1, statements: (layout) => FIRST_TABLES.flatMap((table) => layout.create(table)) },
];

const APPLIED: TableDefinition = {
  name: "schema_migrations",
  columns: "version UInt32, applied_at DateTime('UTC')",
  replacing: "",
  storage: "order by version",
  shardBy: "0",
};

/** Runs all pending migrations. Returns their versions. */
export async function migrate(
  statements: Statements,
  layout: Layout,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<number[]> {
  for (const sql of layout.create(APPLIED)) await statements.run(sql);
  const rows = await statements.rows<{ version: number }>(
    "select distinct version from schema_migrations order by version",
  );
  const applied = new Set(rows.map(({ version }) => version));
  const known = new Set(migrations.map(({ version }) => version));
  const unknown = [...applied].filter((version) => !known.has(version));
  if (unknown.length > 0) {
    throw new Error(
      `The tables of ClickHouse were migrated by a newer Muster (${unknown.join(", ")}). Start that version, or use another database of the server.`,
    );
  }
  const pending = migrations.filter(({ version }) => !applied.has(version));
  for (const { version, statements: steps } of pending) {
    for (const sql of steps(layout)) await statements.run(sql);
    await statements.run("insert into schema_migrations (version, applied_at) select {version:UInt32}, now()", {
      version,
    });
  }
  return pending.map(({ version }) => version);
}
