import { type EntryVerdict, isObject } from "@muster/protocol";
import type { Rejection } from "../apply/entry-application.js";
import type { Entry } from "../entries/entry.js";
import { generalReason } from "../entries/general-reason.js";
import { callOf } from "./call.js";
import type { CallType } from "./call-mapping.js";
import type { CallSender } from "./call-sender.js";

/** Of a batch with more, the others are only counted in its answer. */
export const MAX_LISTED = 100;

/**
 * Whether refused calls are listed with the rejected entries. The libraries show nobody the verdicts in an answer, so the list
 * is where people see them. Not those of pages: everybody can send them.
 */
export function listsRefused({ writeKey: { kind } }: CallSender): boolean {
  return kind === "server";
}

/** A call as people see it: with its type, which the address of a single call tells, and without its key. */
export function shownCall(given: unknown, type: CallType | undefined): Record<string, unknown> {
  const { writeKey: _key, ...call } = isObject(given) ? given : { call: given };
  return type === undefined ? call : { type, ...call };
}

/** A refused call as a rejected entry: with the call itself as its body, and with whom the call names. It cannot be retried. */
export function refusedCall(
  call: Record<string, unknown>,
  { message }: Pick<EntryVerdict, "message">,
  { connectorId }: CallSender,
  receivedAtMs: number,
): Rejection & { reason: string } {
  const { userId, anonymousId } = callOf("track", call, {});
  const entry: Entry = {
    type: call.type === "alias" ? "alias" : call.type === "identify" || call.type === "group" ? "traits" : "track",
    at: receivedAtMs,
    connectorId,
    subject: call.type === "group" ? "account" : "user",
    user: {
      ...(userId === undefined ? {} : { external_id: userId }),
      ...(anonymousId === undefined ? {} : { anonymous_id: anonymousId }),
    },
    create: true,
    active: false,
    body: call,
  };
  return { entry, code: "invalid_call", message, reason: generalReason(message) };
}
