import { type Channel, createId } from "@muster/protocol";
import { segmentRecord } from "../../audience/segments/segment-record.js";
import type { ConnectorDirectory, ListedConnector } from "../../connectors/connector-directory.js";
import { publicConnectorRecord } from "../../connectors/connector-record.js";
import type { Connector } from "../../domain/connectors/connector.js";
import type { StoredNotice } from "../../domain/delivery/message.js";
import type { Database } from "../../storage/postgres/database.js";
import { appendToOutbox } from "../../storage/postgres/delivery/outbox.js";
import type { Segment } from "../../storage/postgres/segments/segments.js";
import { addressMessages } from "./address-messages.js";

export interface NoticesOptions {
  database: Database;
  directory: ConnectorDirectory;
  onQueued(connectorIds: Iterable<string>): void;
}

/** Sends connectors messages that are not about changes to a subject: that settings or segments changed. */
export class Notices {
  readonly #options: NoticesOptions;

  constructor(options: NoticesOptions) {
    this.#options = options;
  }

  /** Sends a connector its own record after a change. */
  async connectorChanged(connector: Connector): Promise<void> {
    const { directory } = this.#options;
    // A notification also contains the connector's record from the directory, so the directory must be up to date first.
    await directory.refresh();
    const itself = directory.subscribersOf(connector.organizationId).filter((one) => one.connector.id === connector.id);
    const notice = { body: publicConnectorRecord(connector), sends: "connector" } as const;
    await this.#send(connector.organizationId, "ship:update", connector.id, notice, itself);
  }

  /** Tells the subscribed connectors that a segment was created, edited or deleted. */
  async segmentChanged(organizationId: string, segment: Segment, action: "update" | "delete"): Promise<void> {
    const subscribers = this.#options.directory.subscribersOf(organizationId);
    const channel: Channel = `${segment.subjectType}s_segment:${action}`;
    await this.#send(organizationId, channel, segment.id, { body: segmentRecord(segment) }, subscribers);
  }

  async #send(
    organizationId: string,
    channel: Channel,
    objectId: string,
    { body, ...rest }: { body: object } & Pick<StoredNotice, "sends">,
    subscribers: readonly ListedConnector[],
  ): Promise<void> {
    if (subscribers.length === 0) return;
    const notice: StoredNotice = {
      message_id: createId("event"),
      kind: "notice",
      entity_id: objectId,
      body: { ...body },
      ...rest,
    };
    const { batches } = addressMessages({ channel, messages: [notice] }, subscribers);
    await appendToOutbox(this.#options.database, organizationId, batches);
    this.#options.onQueued(batches.flatMap(({ recipients }) => recipients.map(({ connectorId }) => connectorId)));
  }
}
