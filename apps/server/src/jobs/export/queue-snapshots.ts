import type { SubjectType } from "@muster/protocol";
import { loadSubjectStates, type SubjectStatesOptions } from "../../audience/subjects/subject-states.js";
import type { ConnectorDirectory, ListedConnector } from "../../connectors/connector-directory.js";
import { addressMessages, countWithheld } from "../../deliveries/messages/address-messages.js";
import { snapshotMessages } from "../../domain/delivery/message.js";
import type { Withheld } from "../../domain/purposes/withheld.js";
import type { Database } from "../../storage/postgres/database.js";
import { appendToOutbox, lockNotifyCursor } from "../../storage/postgres/delivery/outbox.js";
import { noteWithheld } from "../../storage/postgres/delivery/withheld.js";

export interface QueueSnapshotsOptions extends SubjectStatesOptions {
  database: Database;
  directory: ConnectorDirectory;
  /** Called once messages wait in the queues of these connectors. */
  onQueued(connectorIds: Iterable<string>): void;
}

/**
 * Puts messages about subjects as they are now into the queue of a connector. `step` makes their message ids different
 * from those of other times. Returns whether the connector has a subscription that gets them, and what it
 * does not get.
 */
export async function queueSnapshots(
  options: QueueSnapshotsOptions,
  { connector, ...listed }: ListedConnector,
  subjectType: SubjectType,
  ids: readonly string[],
  step: string,
): Promise<{ isQueued: boolean; withheld: Withheld[] }> {
  const { organizationId } = connector;
  const wanted = { user: [], account: [], [subjectType]: ids };
  const queued = await options.database.transaction(async (tx) => {
    // Between reading a state and the commit, no message with a newer state may be queued.
    await lockNotifyCursor(tx, organizationId);
    const { purposes } = connector;
    const reading = { ...options, database: tx };
    const { states, agreements } = await loadSubjectStates(reading, organizationId, wanted, { purposes });
    const messages = snapshotMessages(subjectType, ids, states, step);
    const channel = `${subjectType}:update` as const;
    const exported = { channel, messages, isExport: true, agreements };
    const { batches, withheld } = addressMessages(exported, [{ connector, ...listed }]);
    await appendToOutbox(tx, organizationId, batches, countWithheld(withheld));
    return { isQueued: batches.length > 0, withheld };
  });
  await noteWithheld(options.database, organizationId, queued.withheld);
  options.onQueued([connector.id]);
  return queued;
}
