import { type MigrationFile, readReplacedMigrations } from "./migration-files.js";

/** The migration that has the whole schema of the first release. */
const BASELINE = "0036-baseline.sql";

/** The last commit of the repository whose migrations bring an older database to the baseline. */
export const LAST_BEFORE_BASELINE = "c024378b";

/** The migrations that a database or a backup has, with the checksums that are noted for them. */
export type Applied = ReadonlyMap<string, string | null>;

export interface SinceBaseline {
  /** With the baseline in place of the migrations that it has replaced. */
  applied: Applied;
  /** Replaced migrations that are missing: the schema is older than the baseline. */
  missing: string[];
  /** Replaced migrations with another checksum than they had. */
  edited: string[];
}

/**
 * Before the first release, 32 migrations became the baseline, which makes the same schema. A database that has all 32 is
 * at the baseline. Its list of migrations stays as it is.
 */
export async function countFromBaseline(applied: Applied): Promise<SinceBaseline> {
  const replaced = await readReplacedMigrations();
  const later = [...applied].filter(([name]) => !replaced.has(name));
  if (later.length === applied.size) return { applied, missing: [], edited: [] };
  return {
    applied: new Map([[BASELINE, null], ...later]),
    missing: [...replaced.keys()].filter((name) => !applied.has(name)),
    edited: editedOf(
      [...replaced].map(([name, checksum]) => ({ name, checksum })),
      applied,
    ),
  };
}

/** The names of the migrations that were applied with another text. */
export function editedOf(files: readonly Pick<MigrationFile, "name" | "checksum">[], applied: Applied): string[] {
  return files.filter(({ name, checksum }) => (applied.get(name) ?? checksum) !== checksum).map(({ name }) => name);
}
