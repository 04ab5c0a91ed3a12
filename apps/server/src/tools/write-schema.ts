import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../storage/postgres/database.js";
import { describeSchema } from "../storage/postgres/describe-schema.js";
import { startEmbeddedPostgres } from "../storage/postgres/embedded/embedded-postgres.js";
import { migrate } from "../storage/postgres/migrate.js";

// `npm run schema`: runs all migrations and writes the resulting schema to schema.sql.
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
