import { objectIdOf, type StoredMessage } from "./message.js";

/**
 * Returns a message without the data of erased subjects: the same object when it has none. A message about an erased
 * subject stays in its place, because queues count the messages of a batch, but it has no content and is not sent. The
 * notice that a subject was deleted stays, because it contains only the id.
 */
export function eraseFromMessage(message: StoredMessage, ids: ReadonlySet<string>): StoredMessage {
  if (message.kind === "notice") return message;
  if (ids.has(message.entity.id)) {
    const { message_id } = message;
    return { message_id, kind: "notice", entity_id: message.entity.id, body: {}, sends: "nothing" };
  }
  const { account, ...rest } = message;
  if (!account) return message;
  if (ids.has(String(account.entity.id))) return rest;
  const { id } = account.attributes;
  // The changes compare the account with an erased account. Connectors get only the id of the erased account.
  return id && ids.has(String(id[0])) ? { ...rest, account: { ...account, attributes: { id } } } : message;
}

/** Whether a message must not be sent, because its subject was erased. */
export function isErased(message: StoredMessage, ids: ReadonlySet<string>): boolean {
  if (message.kind === "notice") return message.sends === "nothing";
  return ids.has(message.entity.id);
}

/** The subjects that a message has data of. */
export function subjectsOfMessage(message: StoredMessage): string[] {
  if (message.kind === "notice") return [];
  const { entity, attributes } = message.account ?? {};
  const accountIds = [entity?.id, attributes?.id?.[0]].filter((id) => typeof id === "string");
  return [objectIdOf(message), ...accountIds];
}
