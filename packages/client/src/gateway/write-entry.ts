import type { EntryType } from "@muster/protocol";
import { reasonOf } from "@muster/protocol";
import { type ClientError, clientError } from "../client-error.js";
import { pushEntry } from "./batch-senders.js";
import type { Destination } from "./destination.js";
import { ignoreRejection, PendingEntry, type Receipt } from "./pending-entry.js";

export interface EntryContent {
  type: EntryType;
  body: Record<string, unknown>;
  requestId: string | undefined;
  /** Name of the header the token goes into. */
  tokenHeader: string;
  token: string;
  /** Send without waiting for further entries. */
  isUrgent: boolean;
}

/**
 * Queues an entry. It is turned into text at once, so that later changes to the body are not sent and the queue knows
 * its size. The text shares the token with the other entries of the same subject.
 */
export function writeEntry(
  destination: Destination,
  content: EntryContent,
  nowMs: number,
  onRefused: (error: ClientError) => void,
): Promise<Receipt> {
  let body: string;
  try {
    body = JSON.stringify(content.body);
  } catch (cause) {
    return refuseEntry(
      clientError("invalid_argument", `The ${content.type} body is not JSON: ${reasonOf(cause)}.`),
      onRefused,
    );
  }
  const requestId = content.requestId === undefined ? "" : `"requestId":${JSON.stringify(content.requestId)},`;
  // Everything but the body and the request id is plain ASCII, one byte a character.
  const head =
    `{"type":"${content.type}","timestamp":"${isoTime(nowMs)}",` +
    `"headers":{"${content.tokenHeader}":"${content.token}"},${requestId}"body":`;
  const bytes = head.length + Buffer.byteLength(body) + 2;
  const entry = new PendingEntry(`${head}${body}}`, bytes, onRefused);
  pushEntry(destination, entry, content.isUrgent);
  return entry.promise;
}

/** A rejected promise, for an entry that cannot be sent. */
export function refuseEntry(error: ClientError, onRefused: (error: ClientError) => void): Promise<never> {
  onRefused(error);
  const refused = Promise.reject(error);
  ignoreRejection(refused);
  return refused;
}

// Under load many entries share a millisecond, and formatting a date costs as much as the rest of the entry's head.
let lastMs = Number.NaN;
let lastIso = "";

function isoTime(nowMs: number): string {
  if (nowMs !== lastMs) {
    lastMs = nowMs;
    lastIso = new Date(nowMs).toISOString();
  }
  return lastIso;
}
