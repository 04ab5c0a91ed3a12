import type { Channel } from "@muster/protocol";
import type { ListedConnector } from "../../connectors/connector-directory.js";
import { objectIdOf, type StoredMessage } from "../../domain/delivery/message.js";
import { channelName } from "../../domain/delivery/subscription.js";
import { isWanted } from "../../domain/delivery/tailor-message.js";
import { type Agreements, missingConsents, type Withheld, withheldReason } from "../../domain/purposes/withheld.js";
import type { CountedMessages } from "../../storage/postgres/delivery/delivery-minutes.js";
import { compressMessages, type MessageBatch } from "../../storage/postgres/delivery/outbox.js";

// A batch is decompressed as a whole when it is sent: a few hundred messages take some hundred kilobytes.
const MESSAGES_PER_BATCH = 500;

/** Messages of one channel. */
export interface ChannelMessages {
  channel: Channel;
  messages: readonly StoredMessage[];
  isExport?: boolean;
  /** Needed for messages about users: a connector that serves purposes gets only those of users who have agreed. */
  agreements?: Agreements;
}

export interface Addressed {
  batches: MessageBatch[];
  /** What connectors do not get, because the user has not agreed to their purposes. */
  withheld: Withheld[];
}

/** Decides which subscriptions get which of the messages, and compresses them for the queues of their connectors. */
export function addressMessages(
  { channel, messages, isExport = false, agreements = new Map() }: ChannelMessages,
  connectors: readonly ListedConnector[],
): Addressed {
  const batches: MessageBatch[] = [];
  // By connector and message: several subscriptions of a connector may want the same message.
  const withheld = new Map<string, Withheld>();
  for (let start = 0; start < messages.length; start += MESSAGES_PER_BATCH) {
    const part = messages.slice(start, start + MESSAGES_PER_BATCH);
    const recipients = recipientsOf({ channel, messages: part, isExport, agreements }, connectors, withheld);
    if (recipients.length > 0) batches.push({ isExport, payload: compressMessages(part), recipients });
  }
  return { batches, withheld: [...withheld.values()] };
}

/** How many messages were considered for each connector that subscribes to their channel, and how many it gets. */
export function countAddressed(
  { channel, messages }: ChannelMessages,
  { batches, withheld }: Addressed,
  connectors: readonly ListedConnector[],
): CountedMessages[] {
  if (messages.length === 0) return [];
  return connectors
    .filter(({ subscriptions }) => subscriptions.some((one) => channelName(one, channel) !== undefined))
    .map(({ connector: { id: connectorId } }) => {
      const addressed = batches.reduce((sum, { recipients }) => {
        const chosen = recipients.filter((one) => one.connectorId === connectorId).flatMap((one) => one.chosen);
        // Several subscriptions of a connector may get the same message.
        return sum + new Set(chosen).size;
      }, 0);
      const kept = withheld.filter((one) => one.connectorId === connectorId).length;
      return { connectorId, considered: messages.length, addressed, withheld: kept };
    });
}

/** How many messages were withheld from each connector. */
export function countWithheld(withheld: readonly Withheld[]): CountedMessages[] {
  return withheld.map(({ connectorId }) => ({ connectorId, withheld: 1 }));
}

function recipientsOf(
  { channel, messages, isExport, agreements }: Required<ChannelMessages>,
  connectors: readonly ListedConnector[],
  withheld: Map<string, Withheld>,
): MessageBatch["recipients"] {
  return connectors.flatMap(({ connector, subscriptions }) =>
    subscriptions.flatMap((subscription) => {
      const name = channelName(subscription, channel);
      if (name === undefined) return [];
      const chosen = messages.flatMap((message, index) => {
        // The members of an export are chosen by its request, not by the filter of a subscription.
        if (!isExport && message.kind !== "notice" && !isWanted(message, subscription)) return [];
        const missing = missingConsents(message, connector.purposes, agreements);
        if (missing.length === 0) return [index];
        const { id: connectorId } = connector;
        const { message_id: messageId } = message;
        const userId = objectIdOf(message);
        const reason = withheldReason(missing);
        withheld.set(`${connectorId} ${messageId}`, { connectorId, channel: name, userId, messageId, reason });
        return [];
      });
      return chosen.length === 0 ? [] : [{ connectorId: connector.id, url: subscription.url, channel: name, chosen }];
    }),
  );
}
