import type { Channel } from "@muster/protocol";
import type { ListedConnector } from "../../connectors/connector-directory.js";
import type { StoredMessage } from "../../domain/delivery/message.js";
import { channelName } from "../../domain/delivery/subscription.js";
import { isWanted } from "../../domain/delivery/tailor-message.js";
import type { CountedMessages } from "../../storage/postgres/delivery/delivery-minutes.js";
import { compressMessages, type MessageBatch } from "../../storage/postgres/delivery/outbox.js";

// A batch is decompressed as a whole when it is sent: a few hundred messages take some hundred kilobytes.
const MESSAGES_PER_BATCH = 500;

/** Messages of one channel. */
export interface ChannelMessages {
  channel: Channel;
  messages: readonly StoredMessage[];
  isExport?: boolean;
}

/** Decides which subscriptions get which of the messages, and compresses them for the queues of their connectors. */
export function addressMessages(
  { channel, messages, isExport = false }: ChannelMessages,
  connectors: readonly ListedConnector[],
): MessageBatch[] {
  const batches: MessageBatch[] = [];
  for (let start = 0; start < messages.length; start += MESSAGES_PER_BATCH) {
    const part = messages.slice(start, start + MESSAGES_PER_BATCH);
    const recipients = recipientsOf({ channel, messages: part, isExport }, connectors);
    if (recipients.length > 0) batches.push({ isExport, payload: compressMessages(part), recipients });
  }
  return batches;
}

/** How many messages were considered for each connector that subscribes to their channel, and how many it gets. */
export function countAddressed(
  { channel, messages }: ChannelMessages,
  batches: readonly MessageBatch[],
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
      return { connectorId, considered: messages.length, addressed };
    });
}

function recipientsOf(
  { channel, messages, isExport }: Required<ChannelMessages>,
  connectors: readonly ListedConnector[],
): MessageBatch["recipients"] {
  return connectors.flatMap(({ connector, subscriptions }) =>
    subscriptions.flatMap((subscription) => {
      const name = channelName(subscription, channel);
      if (name === undefined) return [];
      const chosen = messages.flatMap((message, index) =>
        // The members of an export are chosen by its request, not by the filter of a subscription.
        isExport || message.kind === "notice" || isWanted(message, subscription) ? [index] : [],
      );
      return chosen.length === 0 ? [] : [{ connectorId: connector.id, url: subscription.url, channel: name, chosen }];
    }),
  );
}
