import type { PastStatus } from "@muster/protocol/api/status";
import type { ConnectorStatus } from "@muster/protocol/manifest";
import type { Connector, StatusSource } from "../domain/connectors/connector.js";
import { SecretRedactor } from "../domain/connectors/secret-redactor.js";
import type { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import { listStatuses } from "../storage/postgres/connectors/status-history.js";
import type { Database } from "../storage/postgres/database.js";

export interface ConnectorStatusesOptions {
  database: Database;
  store: ConnectorStore;
}

/** The status that each connector reports, and the statuses it had before. */
export class ConnectorStatuses {
  readonly #options: ConnectorStatusesOptions;

  constructor(options: ConnectorStatusesOptions) {
    this.#options = options;
  }

  /**
   * Undefined when there is no such connector. Messages are shown to everybody who reads the connector, so its secret
   * and its private settings are taken out of them.
   */
  async set(
    organizationId: string,
    connectorId: string,
    status: { status: ConnectorStatus; messages: string[]; source: StatusSource },
  ): Promise<Connector | undefined> {
    const { store } = this.#options;
    const connector = await store.find(organizationId, connectorId);
    if (!connector) return undefined;
    const redactor = new SecretRedactor(connector);
    const messages = status.messages.map((message) => redactor.text(message));
    return store.setStatus(organizationId, connectorId, { ...status, messages });
  }

  /** The statuses that a connector had, the latest first. */
  async history(
    { organizationId, id }: Connector,
    page: { limit: number; offset: number },
  ): Promise<{ total: number; entries: PastStatus[] }> {
    const { total, entries } = await listStatuses(this.#options.database, organizationId, id, page);
    return {
      total,
      entries: entries.map(({ createdAt, ...entry }) => ({ ...entry, created_at: createdAt.toISOString() })),
    };
  }
}
