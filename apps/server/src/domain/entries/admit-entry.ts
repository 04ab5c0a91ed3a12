import { createHash } from "node:crypto";
import {
  type Brand,
  ENTRY_TYPES,
  type EntryType,
  type EntryVerdict,
  isObject,
  isStorableText,
  MAX_DATE_MS,
  nonEmptyText,
  SEGMENTS_CHANGED,
  type SubjectType,
  USER_MERGED,
  type VerifiedClaims,
} from "@muster/protocol";
import { readDate } from "../attributes/read-date.js";
import { MUSTER_SOURCE } from "../changes/change-set.js";
import { aliasIdentifiers, claimedIdentifiers, isStorableIdentifier, STRENGTH } from "../identity/identifiers.js";
import { readSubjectToken } from "../identity/read-subject-token.js";
import type { Entry } from "./entry.js";
import { eventSizeProblem } from "./event-size.js";
import { recordTime } from "./record-time.js";
import { UnreadEntry } from "./unread-entry.js";
import { holdsMoreThan, isTooDeep } from "./unusable-json.js";

/** The batch that entries come in: its sender and its times. */
export interface BatchContext {
  brand: Brand;
  connector: { id: string; secret: string };
  timestampMs: number;
  sentAtMs: number;
  receivedAtMs: number;
}

/**
 * Checks the entries of a batch, one after the other. Entries with a valid token and a usable shape are admitted, the
 * others get a verdict.
 */
export class Admission {
  readonly entries: Entry[] = [];
  readonly rejected: EntryVerdict[] = [];
  readonly #context: BatchContext;
  // Entries of one user have the same token, which is verified once.
  readonly #tokens = new Map<string, VerifiedClaims | string>();
  readonly #deriveEventId = deriveWithinBatch();

  constructor(context: BatchContext) {
    this.#context = context;
  }

  /** Checks the next entry, and says whether it was admitted. */
  add(given: unknown): boolean {
    const index = this.entries.length + this.rejected.length;
    const admitted = admitEntry(given, this.#context, this.#tokens, this.#deriveEventId);
    const isRefused = "code" in admitted;
    if (isRefused) this.rejected.push({ index, ...admitted });
    else this.entries.push(admitted);
    return !isRefused;
  }
}

type Refused = Omit<EntryVerdict, "index">;

function admitEntry(
  given: unknown,
  context: BatchContext,
  tokens: Map<string, VerifiedClaims | string>,
  deriveEventId: (content: string) => string,
): Entry | Refused {
  if (given instanceof UnreadEntry) return { code: "payload_too_large", message: given.reason };
  if (!isObject(given)) return invalid("The entry is not an object.");
  if (isTooDeep(given)) return invalid("The entry is nested too deep.");
  const { type, headers, body, timestamp } = given;
  if (!isEntryType(type)) return invalid(`The entry's type must be one of ${ENTRY_TYPES.join(", ")}.`);
  const token = isObject(headers) ? tokenOf(headers, context.brand) : undefined;
  if (token === undefined) {
    return { code: "invalid_token", message: `The entry has no ${context.brand.headers.accessToken} header.` };
  }
  const claims = claimsOf(token, context, tokens);
  if (typeof claims === "string") return { code: "invalid_token", message: claims };
  const time = timestamp === undefined ? context.timestampMs : readTimestamp(timestamp);
  if (time === undefined) return invalid("The entry's timestamp is not an ISO 8601 date.");
  const shaped = type === "incinerate" ? { ...given, body: isObject(body) ? body : {} } : given;
  if (!isObject(shaped.body)) return invalid("The entry's body is not an object.");
  const at = recordTime(time, context.sentAtMs, context.receivedAtMs);
  const entry = entryOf(type, shaped.body, claims, at);
  const problem = shapeProblem(entry);
  if (problem) return problem;
  const largeContext = given.context === undefined ? undefined : eventSizeProblem(given.context);
  if (largeContext) return invalid(largeContext);
  if (holdsMoreThan(given.context, MAX_VALUES)) return invalid(`The context holds at most ${MAX_VALUES} values.`);
  const eventContext = { ...(isObject(given.context) ? given.context : {}), ...requestId(given.requestId) };
  if (Object.keys(eventContext).length > 0) entry.context = eventContext;
  if (type === "track") nameEvent(entry, time, deriveEventId);
  return entry;
}

/** Makes an entry from a body and the claims of a verified token. */
export function entryOf(type: EntryType, body: Record<string, unknown>, claims: VerifiedClaims, at: number): Entry {
  const ofSubject = claims.subjectId === undefined ? undefined : { id: claims.subjectId };
  const user = claims.subjectType === "user" && ofSubject ? { ...claims.asUser, ...ofSubject } : claims.asUser;
  const account =
    claims.subjectType === "account" && ofSubject ? { ...claims.asAccount, ...ofSubject } : claims.asAccount;
  return {
    type,
    at,
    connectorId: claims.issuer,
    subject: claims.subjectType,
    ...(user ? { user } : {}),
    ...(account ? { account } : {}),
    create: claims.create,
    active: claims.active,
    body,
  };
}

// Each value costs work in every stage, and a stage handles an entry as a whole.
export const MAX_VALUES = 10_000;
// As many as an organization has by default.
export const MAX_ATTRIBUTES = 2_000;
/** The rest of a longer event id is cut off. */
export const MAX_EVENT_ID_LENGTH = 1_024;

/** The verdict on the shape of an entry; undefined when the shape is usable. */
export function shapeProblem({ type, subject, user, account, body }: Entry): Refused | undefined {
  if (holdsUnstorable(user) || holdsUnstorable(account)) return invalid(`An identifier holds ${UNSTORABLE}.`);
  if (type === "track") {
    if (subject === "account") return { code: "forbidden", message: "Only users can be tracked, not accounts." };
    if (typeof body.event !== "string" || body.event === "")
      return invalid("A track entry needs the name of its event.");
    const tooLarge = eventSizeProblem(body);
    if (tooLarge) return invalid(tooLarge);
    if (!isStorableText(body.event)) return invalid(`The name of the event holds ${UNSTORABLE}.`);
    if (typeof body.event_id === "string" && !isStorableText(body.event_id)) {
      return invalid(`The event_id holds ${UNSTORABLE}.`);
    }
  }
  if (holdsMoreThan(body, MAX_VALUES)) return invalid(`The body of an entry holds at most ${MAX_VALUES} values.`);
  if (type === "traits") {
    const count = Object.keys(body).length;
    if (count > MAX_ATTRIBUTES) return invalid(`An entry sets at most ${MAX_ATTRIBUTES} attributes, not ${count}.`);
  }
  return type === "alias" || type === "unalias" ? aliasProblem(type, subject, body) : undefined;
}

function aliasProblem(type: EntryType, subject: SubjectType, body: Entry["body"]): Refused | undefined {
  const noText = STRENGTH[subject].find((kind) => body[kind] !== undefined && typeof body[kind] !== "string");
  if (noText) return invalid(`The ${noText} in the body of the ${type} entry is not a text.`);
  const given = claimedIdentifiers(subject, aliasIdentifiers(subject, body));
  if (given.length === 0) return invalid(`An ${type} entry needs an identifier in its body, such as anonymous_id.`);
  const unstorable = given.find(({ value }) => !isStorableIdentifier(value));
  return unstorable && invalid(`The ${unstorable.kind} is too long, or holds ${UNSTORABLE}.`);
}

/**
 * Why an end user may not make an entry; undefined when it may. Identifiers are the connector's to give: an end user
 * adds and removes the ids of its own browsers.
 */
export function endUserProblem({ type, subject, body }: Entry, brand: Brand): Refused | undefined {
  if (type === "traits") return undefined;
  if (type === "track") return forgedEventProblem(body, brand);
  const isAlias = type === "alias" || type === "unalias";
  const given = claimedIdentifiers(subject, aliasIdentifiers(subject, body));
  if (isAlias && given.every(({ kind }) => kind === "anonymous_id")) return undefined;
  return {
    code: "forbidden",
    message: isAlias
      ? "A user's token may add and remove an anonymous_id only. The connector itself must send other identifiers."
      : "A user's token may not erase a subject.",
  };
}

/** Connectors act on events of Muster itself: a merge makes them delete a user. So an end user cannot record such events. */
function forgedEventProblem({ event, source, type }: Entry["body"], { eventSource }: Brand): Refused | undefined {
  const own = [
    { what: "name", given: event, words: [USER_MERGED.event, SEGMENTS_CHANGED.event] },
    { what: "type", given: type, words: [USER_MERGED.type, SEGMENTS_CHANGED.type] },
    { what: "source", given: source, words: [MUSTER_SOURCE, eventSource] },
  ];
  for (const { what, given, words } of own) {
    const word = words.find((one) => isSameWord(given, one));
    if (word !== undefined) {
      const message = `The ${what} "${word}" is kept for events that Muster itself makes.`;
      return { code: "forbidden", message };
    }
  }
  return undefined;
}

function isSameWord(given: unknown, own: string): boolean {
  return typeof given === "string" && given.trim().toLowerCase() === own.toLowerCase();
}

// PostgreSQL refuses a NUL, and stores different halves as the same text, so that different keys become one.
export const UNSTORABLE = "a NUL character or half a surrogate pair";

function holdsUnstorable(claims: Entry["user"] | Entry["account"]): boolean {
  return claims !== undefined && Object.values(claims).some((value) => !isStorableText(value));
}

/**
 * Gives a track entry its event id: the one of its sender, which overwrites an event with that id, or a derived one.
 */
export function nameEvent(entry: Entry, timestampMs: number, derive: (content: string) => string): void {
  const given = entry.body.event_id;
  if ((typeof given === "string" && given !== "") || typeof given === "number") {
    // The cut may leave the first half of a surrogate pair.
    entry.eventId = String(given)
      .slice(0, MAX_EVENT_ID_LENGTH)
      .replace(/\p{Surrogate}$/u, "");
    entry.overwrites = true;
  } else {
    entry.eventId = derive(JSON.stringify([entry.connectorId, entry.user, entry.account, timestampMs, entry.body]));
  }
}

/**
 * Derives event ids within one batch: from the content, and from the number of equal entries before it in the batch. So
 * a batch that is sent again makes no second event.
 */
function deriveWithinBatch(): (content: string) => string {
  const occurrences = new Map<string, number>();
  return (content) => {
    const digest = createHash("sha1").update(content).digest("hex");
    const occurrence = occurrences.get(digest) ?? 0;
    occurrences.set(digest, occurrence + 1);
    return occurrence === 0 ? digest : `${digest}-${occurrence}`;
  };
}

function claimsOf(
  token: string,
  context: BatchContext,
  tokens: Map<string, VerifiedClaims | string>,
): VerifiedClaims | string {
  const known = tokens.get(token);
  if (known !== undefined) return known;
  const claims = readSubjectToken(context.brand, token, context.connector, context.receivedAtMs);
  tokens.set(token, claims);
  return claims;
}

function tokenOf(headers: Record<string, unknown>, brand: Brand): string | undefined {
  const name = brand.headers.accessToken;
  const value = headers[name] ?? headers[name.toLowerCase()];
  return nonEmptyText(value);
}

/** Reads ISO 8601 text, or unix seconds, as milliseconds. Undefined when it is neither. */
export function readTimestamp(given: unknown): number | undefined {
  if (typeof given === "string") return readDate(given);
  if (typeof given !== "number" || !(Math.abs(given * 1_000) <= MAX_DATE_MS)) return undefined;
  return Math.round(given * 1_000);
}

function requestId(value: unknown): { request_id?: string } {
  return typeof value === "string" ? { request_id: value } : {};
}

function isEntryType(value: unknown): value is EntryType {
  return ENTRY_TYPES.includes(value as EntryType);
}

function invalid(message: string): Refused {
  return { code: "invalid_parameter", message };
}
