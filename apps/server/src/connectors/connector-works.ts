import type { Brand } from "@muster/protocol";
import type { Logger } from "pino";
import { Deliveries } from "../deliveries/deliveries.js";
import { MessageCache } from "../deliveries/message-cache.js";
import { Notices } from "../deliveries/notices.js";
import { NotificationSigner } from "../deliveries/notification-signer.js";
import type { DeliveryLimits } from "../domain/delivery/delivery.js";
import type { Addresses } from "../domain/organizations/addresses.js";
import type { Mailer } from "../outbound/mailer.js";
import { createTrustedFetch } from "../outbound/trusted-fetch.js";
import type { Metrics } from "../runtime/metrics.js";
import type { Vault } from "../runtime/vault.js";
import { type ConnectorLogWriter, createConnectorLogWriter } from "../storage/postgres/connectors/connector-logs.js";
import type { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import type { Database } from "../storage/postgres/database.js";
import { createTraceWriter, type TraceWriter } from "../storage/postgres/delivery/traces.js";
import { ConnectorDirectory } from "./connector-directory.js";
import { registerConnectorGauges } from "./connector-gauges.js";
import { LogSummaries } from "./log-summaries.js";
import { Scheduler } from "./scheduler.js";

export interface ConnectorWorksOptions {
  database: Database;
  connectors: ConnectorStore;
  vault: Vault;
  brand: Brand;
  addresses: Addresses;
  metrics: Metrics;
  logger: Logger;
  timeoutMs: number;
  limits: DeliveryLimits;
  mailer: Mailer | undefined;
  /** Who gets mail about errors of connectors. */
  mailTo: readonly string[];
}

/** Everything that faces connectors, put together: what they are told, when they are called, and what became of it. */
export class ConnectorWorks {
  readonly directory: ConnectorDirectory;
  readonly signer: NotificationSigner;
  readonly notices: Notices;
  readonly logs: ConnectorLogWriter;
  readonly summaries: LogSummaries;
  readonly fetch = createTrustedFetch();
  readonly #deliveries: Deliveries;
  readonly #scheduler: Scheduler;
  readonly #traces: TraceWriter;

  constructor(options: ConnectorWorksOptions) {
    const { database, addresses, metrics, logger, mailer, mailTo } = options;
    const onLost = (error: unknown, lostRows: number) =>
      logger.error({ err: error, lostRows }, "traces or logs of connectors could not be written");
    this.directory = new ConnectorDirectory(options);
    this.signer = new NotificationSigner({ ...options, keyUrl: (id) => `${addresses.publicUrl}/keys/${id}` });
    this.#traces = createTraceWriter(database, onLost);
    this.logs = createConnectorLogWriter(database, onLost);
    this.summaries = new LogSummaries({ mailer, recipients: mailTo, logger });
    const shared = { ...options, fetch: this.fetch, directory: this.directory };
    this.#deliveries = new Deliveries({
      ...shared,
      signer: this.signer,
      cache: new MessageCache(database),
      traces: this.#traces,
      onCall({ messages, outcome, durationMs }, connector) {
        metrics.deliveredMessages.inc({ connector, outcome: outcome.kind }, messages.length);
        metrics.connectorCallSeconds.observe({ connector }, durationMs / 1_000);
      },
    });
    this.#scheduler = new Scheduler(shared);
    this.notices = new Notices({ ...shared, onQueued: (ids) => this.wake(ids) });
    registerConnectorGauges(metrics.registry, database);
  }

  /** Learns about the connectors and follows their changes. */
  async start(): Promise<void> {
    await this.directory.start();
  }

  /** Starts to call connectors; without it this process only puts messages into their queues. */
  async startCalls(): Promise<void> {
    await this.#deliveries.start();
    this.#scheduler.start();
  }

  /** Something waits in the queues of these connectors. */
  wake(connectorIds: Iterable<string>): void {
    this.#deliveries.wake(connectorIds);
  }

  async stop(): Promise<void> {
    await this.#scheduler.stop();
    await this.#deliveries.stop();
    await this.directory.stop();
    await this.#traces.close();
    await this.logs.close();
    this.fetch.close();
  }
}
