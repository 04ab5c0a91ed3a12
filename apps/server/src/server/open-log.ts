import type { Logger } from "pino";
import type { Config } from "../runtime/settings/config.js";
import type { IngestionLog } from "../storage/ingest-log/ingestion-log.js";
import { LogStreams } from "../storage/ingest-log/nats/log-streams.js";
import { NatsClient } from "../storage/ingest-log/nats/nats-client.js";
import { PostgresLog } from "../storage/ingest-log/postgres/postgres-log.js";
import { RoutedLog } from "../storage/ingest-log/routed/routed-log.js";
import type { Database } from "../storage/postgres/database.js";

/** Opens the ingestion log: in PostgreSQL, or with NATS_URL also in JetStream. Each thread opens its own. */
export function openLog(
  { natsUrl, natsStreams, natsReplicas }: Pick<Config, "natsUrl" | "natsStreams" | "natsReplicas">,
  database: Database,
  logger: Logger,
): IngestionLog {
  if (natsUrl === undefined) return new PostgresLog(database);
  const client = new NatsClient({
    url: natsUrl,
    name: "muster",
    onUnavailable: (reason) =>
      logger.error(
        { reason },
        "NATS of NATS_URL cannot be used, and is tried again: check the address and the credentials",
      ),
    onConnected: (server) => logger.info({ server }, "connected to NATS"),
    onLost: () => logger.error("the connection to NATS is lost, and is tried again"),
  });
  return new RoutedLog({
    database,
    client,
    streams: new LogStreams({ client, count: natsStreams, replicas: natsReplicas }),
    onTruncated: ({ name, known, found }) =>
      logger.error({ stream: name, known, found }, "a stream of NATS has lost its end, and takes no more batches"),
    onProblem: (error, message, organizationId) => logger.warn({ err: error, organizationId }, message),
  });
}
