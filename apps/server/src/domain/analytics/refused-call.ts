import { type EntryVerdict, isObject } from "@muster/protocol";
import type { Rejection } from "../apply/entry-application.js";
import type { Entry } from "../entries/entry.js";
import { generalReason } from "../entries/general-reason.js";
import { callOf } from "./call.js";
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

/** A refused call as a rejected entry: with the call itself as its body, and with whom the call names. */
export function refusedCall(
  given: unknown,
  { message }: Pick<EntryVerdict, "message">,
  { connectorId }: CallSender,
  receivedAtMs: number,
): Rejection & { reason: string } {
  const body = isObject(given) ? given : { call: given };
  const { userId, anonymousId } = callOf("track", body, {});
  const entry: Entry = {
    type: body.type === "alias" ? "alias" : body.type === "identify" || body.type === "group" ? "traits" : "track",
    at: receivedAtMs,
    connectorId,
    subject: body.type === "group" ? "account" : "user",
    user: {
      ...(userId === undefined ? {} : { external_id: userId }),
      ...(anonymousId === undefined ? {} : { anonymous_id: anonymousId }),
    },
    create: true,
    active: false,
    body,
  };
  return { entry, code: "invalid_entry", message, reason: generalReason(message) };
}
