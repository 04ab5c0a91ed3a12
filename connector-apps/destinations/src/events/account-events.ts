import type { AccountUpdateMessage } from "@muster/protocol";
import type { OutgoingEvent } from "./outgoing-event.js";
import { traitsOf } from "./traits.js";
import { type EventSettings, groupIdOf } from "./user-events.js";

/** The events that a message about an account becomes. They name no user. */
export function accountEvents(
  { message_id, account, changes, matchesFilter }: AccountUpdateMessage,
  { isBatch, now }: Pick<EventSettings, "isBatch" | "now">,
): OutgoingEvent[] {
  const isNews = isBatch || changes.is_new || Object.keys(changes.account).length > 0;
  if (!matchesFilter || !isNews) return [];
  const time = now.toISOString();
  return [
    {
      type: "group",
      messageId: `${message_id}:group`,
      timestamp: time,
      sentAt: time,
      receivedAt: time,
      integrations: {},
      groupId: groupIdOf(account),
      traits: traitsOf(account),
      context: { groupId: groupIdOf(account) },
    },
  ];
}
