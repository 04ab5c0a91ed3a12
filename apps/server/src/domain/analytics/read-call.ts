import { randomUUID } from "node:crypto";
import { type Brand, isObject, nonEmptyText } from "@muster/protocol";
import { endUserProblem, invalid, type Refused, readTimestamp, shapeProblem } from "../entries/admit-entry.js";
import type { Entry } from "../entries/entry.js";
import { OLDEST_OF_PAGE_MS, recordTime } from "../entries/record-time.js";
import { type Call, callOf, idProblem, objectOf, type SharedFields } from "./call.js";
import { callContext } from "./call-context.js";
import { CALL_TYPES, type CallType } from "./call-mapping.js";
import { type CallSender, isProof } from "./call-sender.js";
import { isForNobody } from "./integrations.js";
import { eventIdOf, messageIdOf } from "./message-id.js";
import { sayAsPage, sayWithProof } from "./say-call.js";
import { unixSeconds } from "./unix-seconds.js";

/** The request that calls come in. */
export interface CallRequest {
  brand: Brand;
  sender: CallSender;
  receivedAtMs: number;
  shared: SharedFields;
  /** The type of a call that is sent alone. The address tells it. */
  type?: CallType;
}

/** The most bytes of a call, as Segment has it. Larger events of our own dialect are possible. */
export const MAX_CALL_BYTES = 32 * 1024;

/** The entry that an analytics call makes, or why it makes none. `values` is at least the number of values in the call. */
export function readCall(message: unknown, request: CallRequest, values?: number): Entry | Refused {
  if (!isObject(message)) return invalid("The call is not an object.");
  const type = request.type ?? message.type;
  if (!isCallType(type)) return invalid(`The call's type must be one of ${CALL_TYPES.join(", ")}.`);
  const { sender, brand, shared } = request;
  const call = callOf(type, message, shared);
  const unusable = placeProblem(call, sender) ?? idProblem(call);
  if (unusable) return unusable;
  const at = timeOf(call, request);
  if (at === undefined) return invalid("The call's timestamp is not an ISO 8601 date.");
  const said = isProof(sender) ? sayWithProof(call) : sayAsPage(call);
  if ("code" in said) return said;
  const entry: Entry = { ...said, at, connectorId: sender.connectorId, create: true, active: false };
  if (!isProof(sender)) entry.byEndUser = true;
  // The size of the whole entry is checked when it is serialised.
  const problem = shapeProblem(entry, { text: "", ...(values === undefined ? {} : { values }) });
  if (problem) return problem;
  // Also a page that is believed records no events of Muster itself.
  const isLimited = entry.byEndUser || (sender.writeKey.kind === "page" && entry.type === "track");
  const forbidden = isLimited ? endUserProblem(entry, brand) : undefined;
  if (forbidden) return forbidden;
  const properties = isObject(entry.body.properties) ? entry.body.properties : {};
  entry.context = callContext(call.context, properties, sender, call.integrations);
  // Quiet entries are applied apart from others, which costs more. So a page cannot ask for it.
  if (!entry.byEndUser && call.integrations && isForNobody(call.integrations)) entry.quiet = true;
  if (entry.type === "track") {
    const messageId = messageIdOf(message);
    entry.eventId = messageId === undefined ? randomUUID() : eventIdOf(messageId, sender);
    if (messageId !== undefined) Object.assign(entry, { overwrites: true, once: true });
  }
  return entry;
}

/** A key that is public works only on pages and in apps that it names. An app names itself, so this is order, and no proof. */
function placeProblem({ context }: Call, { writeKey, isOnPage }: CallSender): Refused | undefined {
  if (writeKey.kind === "server" || isOnPage) return undefined;
  const app = nonEmptyText(objectOf(context.app).namespace);
  if (app !== undefined && writeKey.apps.includes(app)) return undefined;
  const message =
    app === undefined
      ? "This write key is for pages and apps: the call comes from no page, and names no app in context.app.namespace."
      : `This write key is not for the app "${app.slice(0, 200)}".`;
  return { code: "forbidden", message };
}

/** The time of a call by the clock of the server; undefined when the call's timestamp cannot be read. */
function timeOf({ given }: Call, { sender, shared, receivedAtMs }: CallRequest): number | undefined {
  const stated = given.timestamp ?? given.originalTimestamp;
  // Segment has received a stored call already, and has corrected its time.
  const isCorrected = sender.writeKey.kind === "server" && given.receivedAt !== undefined && given.receivedAt !== null;
  const time = stated === undefined || stated === null ? receivedAtMs : readTime(stated);
  if (time === undefined) return undefined;
  // A sending time that cannot be read corrects nothing.
  const isExact = isCorrected || stated === undefined || stated === null;
  const sentAtMs = isExact ? receivedAtMs : (readTime(given.sentAt ?? shared.sentAt) ?? receivedAtMs);
  const at = recordTime(time, sentAtMs, receivedAtMs);
  return sender.writeKey.kind === "page" ? Math.max(at, receivedAtMs - OLDEST_OF_PAGE_MS) : at;
}

function readTime(given: unknown): number | undefined {
  return readTimestamp(typeof given === "number" ? unixSeconds(given) : given);
}

function isCallType(type: unknown): type is CallType {
  return CALL_TYPES.includes(type as CallType);
}
