import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClickHouseClient, createClient } from "@clickhouse/client";
import { evaluationEvents } from "../../../../domain/changes/evaluation-events.js";
import type { Questions } from "../../questions.js";
import { type ClickHouseOptions, openClickHouseQuestions } from "../clickhouse-questions.js";
import { SESSION_SETTINGS } from "../client/settings.js";

type ClientConfig = NonNullable<Parameters<typeof createClient>[0]>;

/** The part of `chdb/connection` that we use. It is installed only for tests, so its types are not available here. */
interface ChdbModule {
  createChdbConnection(options: { path: string }): ClientConfig["connection"];
}

/** Opens an empty ClickHouse inside this process. `close` deletes its data. */
export async function openChdbQuestions(options: Partial<ClickHouseOptions> = {}): Promise<Questions> {
  return openClickHouseQuestions({ eventsOf: evaluationEvents, ...options, client: await openChdbClient() });
}

/** A client of a ClickHouse inside this process, with the settings of production. Only one can be open at a time. */
export async function openChdbClient(): Promise<ClickHouseClient> {
  const path = await mkdtemp(join(tmpdir(), "muster-chdb-"));
  const client = createClient({ connection: loadChdb().createChdbConnection({ path }) });
  // All statements run in one session, so the settings are set once. The client would send them with every statement.
  for (const [name, value] of Object.entries(SESSION_SETTINGS)) {
    await client.command({ query: `set ${name} = '${value}'` });
  }
  const close = client.close.bind(client);
  return Object.assign(client, {
    close: async () => {
      await close();
      // Threads of the engine may still finish a file.
      await rm(path, { recursive: true, force: true, maxRetries: 5 });
    },
  });
}

function loadChdb(): ChdbModule {
  const folder = process.env.MUSTER_TEST_CHDB;
  if (folder === undefined) throw new Error("MUSTER_TEST_CHDB is not set. Run npm run test:clickhouse.");
  return createRequire(join(folder, "package.json"))("chdb/connection") as ChdbModule;
}
