import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import type { EventsOfEvaluation } from "../projection.js";
import type { Questions } from "../questions.js";
import { clickhouseAsking } from "./clickhouse-asking.js";
import { clickhouseComputing } from "./clickhouse-computing.js";
import { clickhouseEventFigures } from "./clickhouse-event-figures.js";
import { clickhouseExtracting } from "./clickhouse-extracting.js";
import { clickhouseInsights } from "./clickhouse-insights.js";
import { clickhouseMemberships } from "./clickhouse-memberships.js";
import { clickhouseProjection } from "./clickhouse-projection.js";
import { CLUSTER_SETTINGS, READING_SETTINGS, SESSION_SETTINGS } from "./client/settings.js";
import { type StatementOptions, Statements } from "./client/statements.js";
import { layoutOf } from "./schema/layout.js";
import { migrate } from "./schema/migrate.js";

export interface ClickHouseOptions extends Omit<StatementOptions, "readingSettings"> {
  /** The cluster that the tables are distributed over. */
  cluster?: string | undefined;
  eventsOf: EventsOfEvaluation;
}

/** The address of a server (`http://user:password@host:8123/database`), or a client that already has our settings. */
type Server = { url: string } | { client: ClickHouseClient };

// Deleting rows and copying those of merged users send no answer until they are done, which may take minutes.
const REQUEST_TIMEOUT_MS = 600_000;

/** Connects to a ClickHouse server. Its tables are created or migrated first. */
export async function openClickHouseQuestions(options: ClickHouseOptions & Server): Promise<Questions> {
  const { cluster } = options;
  const statements =
    "client" in options
      ? new Statements(options.client, options)
      : new Statements(createServerClient(options.url, cluster), { ...options, readingSettings: READING_SETTINGS });
  const layout = layoutOf(cluster);
  try {
    await statements.ping();
    await requireClickHouse(statements);
    await migrate(statements, layout);
  } catch (error) {
    await statements.close();
    throw error;
  }
  return {
    ...clickhouseProjection(statements, layout, options.eventsOf),
    ...clickhouseAsking(statements),
    ...clickhouseMemberships(statements),
    ...clickhouseEventFigures(statements),
    ...clickhouseInsights(statements),
    ...clickhouseComputing(statements),
    ...clickhouseExtracting(statements),
    // Its JSON columns store each property as a column already.
    eventColumns: async () => [],
    eventTimes: async () => [],
    ping: () => statements.ping(),
    async version() {
      const [row] = await statements.rows<{ version: string }>("select version() as version");
      return `ClickHouse ${row?.version ?? ""}`;
    },
    close: () => statements.close(),
  };
}

/** Refuses another program, for which every request is fine. Only an error about a statement would show it. */
async function requireClickHouse(statements: Statements): Promise<void> {
  const [row] = await statements.rows<{ version?: string }>("select version() as version").catch((error: unknown) => {
    if (error instanceof SyntaxError) return [];
    throw error;
  });
  if (!row?.version)
    throw new Error("What answers at CLICKHOUSE_URL is not ClickHouse. Check the address and the port.");
}

function createServerClient(url: string, cluster: string | undefined): ClickHouseClient {
  return createClient({
    url,
    clickhouse_settings: { ...SESSION_SETTINGS, ...(cluster === undefined ? {} : CLUSTER_SETTINGS) },
    request_timeout: REQUEST_TIMEOUT_MS,
    // A list of ids may be longer than a URL can be.
    use_multipart_params_auto: true,
    // The client also throws every error that it would log.
    log: { level: ClickHouseLogLevel.OFF },
  });
}
