import { isObject, Refusal } from "@muster/protocol";
import type { StoredMessage, StoredSegmentChanges, StoredUpdate, UserAccount } from "./message.js";

/**
 * A dead letter's message as a person has edited it. It is about the same object and has the same id;
 * everything else may differ, if it has the shape of a message.
 */
export function editMessage(message: StoredMessage, given: unknown): StoredMessage {
  if (!isObject(given)) throw refusal("must be an object");
  if (given.message_id !== message.message_id || given.kind !== message.kind) {
    throw refusal("must keep its `message_id` and its `kind`");
  }
  if (message.kind === "notice") {
    if (message.sends !== undefined) throw refusal("cannot be edited: its content is made when it is sent");
    if (given.entity_id !== message.entity_id) throw refusal("must keep its `entity_id`");
    if (!isObject(given.body)) throw refusal("must have an object as its `body`");
    const { message_id, entity_id } = message;
    return { message_id, kind: "notice", entity_id, body: given.body };
  }
  const { entity, changes } = given;
  if (!isObject(entity) || entity.id !== message.entity.id) throw refusal("must keep the `id` of its `entity`");
  if (!isObject(changes) || typeof changes.is_new !== "boolean") throw refusal("must have `changes` with `is_new`");
  if (changes.moved_at !== undefined && typeof changes.moved_at !== "string") {
    throw refusal("must have a time as `changes.moved_at`");
  }
  checkChanges("changes", changes);
  checkTexts("segment_ids", given.segment_ids);
  if (message.kind === "user") checkEvents(given.events);
  if (given.account !== undefined) checkAccount(given.account);
  const parts = ["message_id", "kind", "entity", "segment_ids", "changes", "events", "account"];
  // The parts were checked above.
  return Object.fromEntries(Object.entries(given).filter(([name]) => parts.includes(name))) as unknown as StoredUpdate;
}

function checkAccount(account: unknown): asserts account is UserAccount {
  if (!isObject(account) || !isObject(account.entity)) throw refusal("must have an object as `account.entity`");
  checkTexts("account.segment_ids", account.segment_ids);
  checkChanges("account", account);
}

function checkChanges(name: string, { attributes, segments }: Record<string, unknown>): void {
  const isPair = (change: unknown) => Array.isArray(change) && change.length === 2;
  if (!isObject(attributes) || !Object.values(attributes).every(isPair)) {
    throw refusal(`must have \`${name}.attributes\`, with the value before and the value after of each`);
  }
  if (!isObject(segments)) throw refusal(`must have \`${name}.segments\``);
  const { entered, left } = segments as Partial<StoredSegmentChanges>;
  checkTexts(`${name}.segments.entered`, entered);
  checkTexts(`${name}.segments.left`, left);
}

function checkEvents(events: unknown): void {
  if (events === undefined) return;
  if (!Array.isArray(events) || !events.every((event) => isObject(event) && typeof event.event === "string")) {
    throw refusal("must have a list of `events`, each with its name as `event`");
  }
}

function checkTexts(name: string, given: unknown): void {
  if (Array.isArray(given) && given.every((one) => typeof one === "string")) return;
  throw refusal(`must have a list of texts as \`${name}\``);
}

function refusal(problem: string): Refusal {
  return new Refusal("invalid_parameter", `The message ${problem}.`);
}
