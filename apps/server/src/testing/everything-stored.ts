import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { uncompressSync } from "snappy";
import type { TestServer } from "./test-server.js";

/** One stored row or file, as text. */
export interface StoredText {
  /** The table, or the path of the file below the data directory. */
  where: string;
  text: string;
}

/** Every row of every table as text, with compressed columns decompressed, and every file of the data directory. */
export async function everythingStored(server: Pick<TestServer, "database" | "dataDir">): Promise<StoredText[]> {
  return [...(await everyRow(server)), ...(await everyFile(server.dataDir))];
}

/** The places that hold a text, each named once. Upper and lower case are the same. */
export async function placesOf(
  server: Pick<TestServer, "database" | "dataDir">,
  ...texts: readonly string[]
): Promise<string[]> {
  const wanted = texts.map((text) => text.toLowerCase());
  const stored = await everythingStored(server);
  const found = stored.filter(({ text }) => wanted.some((one) => text.toLowerCase().includes(one)));
  return [...new Set(found.map(({ where }) => where))].sort();
}

async function everyRow({ database }: Pick<TestServer, "database">): Promise<StoredText[]> {
  const { rows: tables } = await database.query<{ name: string }>(
    `select c.oid::regclass::text as name
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname = 'public'`,
  );
  const texts: StoredText[] = [];
  for (const { name } of tables) {
    const { rows } = await database.query<Record<string, unknown>>(`select * from ${name}`);
    for (const row of rows) texts.push({ where: name.replace(/_\d{8}$/, ""), text: textOf(row) });
  }
  return texts;
}

function textOf(row: Record<string, unknown>): string {
  return Object.entries(row)
    .map(([column, value]) => {
      if (!Buffer.isBuffer(value)) return `${column}=${JSON.stringify(value)}`;
      return `${column}=${value.toString("latin1")} ${decompressed(value)}`;
    })
    .join("\n");
}

function decompressed(value: Buffer): string {
  try {
    return String(uncompressSync(value, { asBuffer: false }));
  } catch {
    // Sealed values and hashes are not compressed.
    return "";
  }
}

async function everyFile(folder: string): Promise<StoredText[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(
    files.map(async (path) => ({
      where: relative(folder, path),
      text: await readFile(path, "latin1").catch(() => ""),
    })),
  );
}
