import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { PACKAGE_FOLDER } from "../../runtime/package-folder.js";

export interface MigrationFile {
  name: string;
  sql: string;
  /** The SHA-256 of the text, as hex digits. */
  checksum: string;
}

const MIGRATIONS = join(PACKAGE_FOLDER, "migrations");

/** All migrations of this version, in the order in which they run. */
export async function readMigrationFiles(): Promise<MigrationFile[]> {
  const names = (await readdir(MIGRATIONS)).filter((name) => name.endsWith(".sql")).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readText(name);
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

/** The checksums of the migrations that the baseline has replaced, by their names. */
export async function readReplacedMigrations(): Promise<Map<string, string>> {
  const lines = (await readText("0036-baseline.replaces")).trimEnd().split("\n");
  return new Map(lines.map((line) => line.split("  ") as [string, string]).map(([checksum, name]) => [name, checksum]));
}

/** Some tools write files out with the line ends of Windows, which change nothing for PostgreSQL. */
async function readText(name: string): Promise<string> {
  return (await readFile(join(MIGRATIONS, name), "utf8")).replaceAll("\r\n", "\n");
}
