import { pino } from "pino";
import { ConnectorDirectory } from "../connectors/connector-directory.js";
import { applyNext } from "../pipeline/apply/apply.js";
import type { ApplyRules } from "../pipeline/apply/apply-rules.js";
import { createContextReaders } from "../pipeline/apply/context-readers.js";
import { BatchBuffer } from "../pipeline/buffers/batch-buffer.js";
import { Journey, type JourneyOptions } from "../pipeline/journey.js";
import { createMetrics } from "../runtime/measures/metrics.js";
import { createKeyedHash } from "../runtime/secrets/keyed-hash.js";
import { createVault } from "../runtime/secrets/vault.js";
import { PostgresLog } from "../storage/ingest-log/postgres/postgres-log.js";
import { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import type { Database } from "../storage/postgres/database.js";
import type { Questions } from "../storage/questions/questions.js";
import type { TestServer } from "./test-server.js";

export const UNDISPUTED = { isContinued: true, isValid: () => true, isLost: () => false, confirm: async () => {} };

const RULES: ApplyRules = {
  readers: createContextReaders(undefined),
  hash: createKeyedHash("0".repeat(64), "erased identifiers"),
  maxAttributes: 2_000,
  maxValueBytes: 65_536,
  maxEntities: 1_000,
  attributesChanged: "attributes_changed",
  newNames: { perOrganization: 0, perVisitor: 0 },
  mergesPerDay: 100,
  maxAnonymousIds: 100,
  maxSubjectBytes: 1_000_000,
};

/** A process that has just started, on the databases of an idle server. Its steps are made by the test. */
export function startJourney(
  server: TestServer,
  {
    database = server.database,
    questions = server.questions,
    compute = {},
  }: { database?: Database; questions?: Questions; compute?: JourneyOptions["compute"] } = {},
): Journey {
  const store = new ConnectorStore(database, createVault("0".repeat(64)));
  const logger = pino({ level: "silent" });
  return new Journey({
    database,
    log: new PostgresLog(database),
    questions,
    metrics: createMetrics(),
    lags: { add() {} },
    logger,
    apply: { rules: RULES, bulkEvery: 4 },
    compute,
    notify: { directory: new ConnectorDirectory({ store, database, logger }), onQueued: () => {} },
    wakeRelay: () => {},
    isWatched: () => false,
    onRejected: () => {},
  });
}

/** Applies up to so many of the waiting entries. Returns whether there were some. */
export async function applySome(server: TestServer, organizationId: string, maxEntries: number): Promise<boolean> {
  const { database } = server;
  const log = new PostgresLog(database);
  const metrics = createMetrics();
  const options = {
    database,
    log,
    rules: RULES,
    metrics,
    bulkEvery: 4,
    batchBuffer: new BatchBuffer(),
    lease: UNDISPUTED,
  };
  return (await applyNext(options, organizationId, maxEntries)) !== undefined;
}
