import { createHash } from "node:crypto";
import { isObject, isStorableText } from "@muster/protocol";
import type { CallSender } from "./call-sender.js";

/** A longer id is hashed: an index holds the ids of events, and PostgreSQL limits the size of what it indexes. */
const MAX_BYTES = 256;

/** The id that the sender gave a call, so that it counts once; undefined when there is none that can be used. */
export function messageIdOf(message: unknown): string | undefined {
  const given = isObject(message) ? message.messageId : undefined;
  if (typeof given === "number" && Number.isSafeInteger(given)) return String(given);
  return typeof given === "string" && given !== "" && isStorableText(given) ? given : undefined;
}

/**
 * The id of the event of a call. Ids of one connector mean nothing to another one, and what a page chooses is kept apart from
 * what servers choose, so that no page replaces or suppresses an event of a server.
 */
export function eventIdOf(messageId: string, { connectorId, writeKey }: CallSender): string {
  const scope = writeKey.kind === "page" ? `page ${writeKey.id}` : connectorId;
  const short =
    Buffer.byteLength(messageId) > MAX_BYTES ? createHash("sha256").update(messageId).digest("hex") : messageId;
  return `${scope}:${short}`;
}
