import type { Brand } from "@muster/protocol";
import type { Logger } from "pino";
import type { Addresses } from "../addresses.js";
import type { DeliveryLimits } from "../domain/delivery.js";
import type { Mailer } from "../mailer.js";
import type { Metrics } from "../metrics.js";
import { createTrustedFetch } from "../outbound/trusted-fetch.js";
import { type ConnectorLogWriter, createConnectorLogWriter } from "../storage/postgres/connector-logs.js";
import type { ConnectorStore } from "../storage/postgres/connectors.js";
import type { Database } from "../storage/postgres/database.js";
import { createTraceWriter, type TraceWriter } from "../storage/postgres/traces.js";
import type { Vault } from "../vault.js";
import { ConnectorDirectory } from "./connector-directory.js";
import { registerConnectorGauges } from "./connector-gauges.js";
import { Deliveries } from "./deliver/deliveries.js";
import { MessageCache } from "./deliver/message-cache.js";
import { NotificationSigner } from "./deliver/notification-signer.js";
import { LogSummaries } from "./log-summaries.js";
import { Notices } from "./notices.js";
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
