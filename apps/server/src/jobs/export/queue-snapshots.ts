import type { SubjectType } from "@muster/protocol";
import { loadSubjectStates, type SubjectStatesOptions } from "../../audience/subjects/subject-states.js";
import type { ConnectorDirectory, ListedConnector } from "../../connectors/connector-directory.js";
import { addressMessages } from "../../deliveries/messages/address-messages.js";
import { snapshotMessages } from "../../domain/delivery/message.js";
import type { Database } from "../../storage/postgres/database.js";
import { appendToOutbox, lockNotifyCursor } from "../../storage/postgres/delivery/outbox.js";

export interface QueueSnapshotsOptions extends SubjectStatesOptions {
  database: Database;
  directory: ConnectorDirectory;
  /** Called once messages wait in the queues of these connectors. */
  onQueued(connectorIds: Iterable<string>): void;
}

/**
 * Puts messages about subjects as they are now into the queue of a connector. `step` makes their message ids different
 * from those of other times. Returns whether the connector has a subscription that gets them.
 */
export async function queueSnapshots(
  options: QueueSnapshotsOptions,
  { connector, ...listed }: ListedConnector,
  subjectType: SubjectType,
  ids: readonly string[],
  step: string,
): Promise<boolean> {
  const { organizationId } = connector;
  const wanted = { user: [], account: [], [subjectType]: ids };
  const isQueued = await options.database.transaction(async (tx) => {
    // Between reading a state and the commit, no message with a newer state may be queued.
    await lockNotifyCursor(tx, organizationId);
    const { states } = await loadSubjectStates({ ...options, database: tx }, organizationId, wanted);
    const messages = snapshotMessages(subjectType, ids, states, step);
    const channel = `${subjectType}:update` as const;
    const batches = addressMessages({ channel, messages, isExport: true }, [{ connector, ...listed }]);
    await appendToOutbox(tx, organizationId, batches);
    return batches.length > 0;
  });
  options.onQueued([connector.id]);
  return isQueued;
}
