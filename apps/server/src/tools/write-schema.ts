import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../storage/postgres/database.js";
import { describeSchema } from "../storage/postgres/describe-schema.js";
import { startEmbeddedPostgres } from "../storage/postgres/embedded/embedded-postgres.js";
import { migrate } from "../storage/postgres/migrate.js";
import { readMigrationFiles } from "../storage/postgres/migration-files.js";

// A part of `npm run generate`: runs all migrations and writes the resulting schema to schema.sql. Notes the checksums of new ones.
const directory = await mkdtemp(join(tmpdir(), "muster-schema-"));
const server = await startEmbeddedPostgres({
  dataDir: join(directory, "postgres"),
  disposable: true,
  onLog: () => {},
  onProblem: console.error,
});
const database = openDatabase({
  url: server.url,
  slowQueryMs: 60_000,
  onSlowQuery: () => {},
  onError: (error) => console.error(error.message),
});
try {
  await migrate(database);
  await writeFile(new URL("../../schema.sql", import.meta.url), await describeSchema(database));
} finally {
  await database.close();
  await server.stop();
  await rm(directory, { recursive: true });
}

// The line of a migration that has one is kept: a test then says that the migration was edited.
const sums = new URL("../../migrations/SHA256SUMS", import.meta.url);
const noted = (await readFile(sums, "utf8")).split("\n");
const lines = (await readMigrationFiles()).map(
  ({ name, checksum }) => noted.find((line) => line.endsWith(`  ${name}`)) ?? `${checksum}  ${name}`,
);
await writeFile(sums, `${lines.join("\n")}\n`);
