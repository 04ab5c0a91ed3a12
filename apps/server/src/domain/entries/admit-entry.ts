import {
  type Brand,
  type EntryType,
  type EntryVerdict,
  isStorableText,
  MAX_DATE_MS,
  MUSTER_SOURCE,
  SEGMENTS_CHANGED,
  type SubjectType,
  USER_MERGED,
  USER_UNMERGED,
  type VerifiedClaims,
} from "@muster/protocol";
import { readDate } from "../attributes/read-date.js";
import { aliasIdentifiers, claimedIdentifiers, isStorableIdentifier, STRENGTH } from "../identity/identifiers.js";
import type { Entry } from "./entry.js";
import { eventSizeProblem } from "./event-size.js";
import { holdsMoreThan } from "./unusable-json.js";

/** Why an entry is refused: a verdict without the place of the entry. */
export type Refused = Omit<EntryVerdict, "index">;

/** The user and the account that a verified token names. */
export function subjectsOf({
  subjectType,
  subjectId: id,
  asUser,
  asAccount,
}: VerifiedClaims): Pick<Entry, "user" | "account"> {
  const user = subjectType === "user" && id !== undefined ? { ...asUser, id } : asUser;
  const account = subjectType === "account" && id !== undefined ? { ...asAccount, id } : asAccount;
  if (!account) return user ? { user } : {};
  return user ? { user, account } : { account };
}

/** Makes an entry from a body and the claims of a verified token. */
export function entryOf(type: EntryType, body: Record<string, unknown>, claims: VerifiedClaims, at: number): Entry {
  return {
    type,
    at,
    connectorId: claims.issuer,
    subject: claims.subjectType,
    ...subjectsOf(claims),
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

/** What is known of a body before it is checked. It saves checks. */
export interface KnownBody {
  /** The body as JSON. */
  text?: string;
  /** It holds at most so many values. */
  values?: number;
}

/** The verdict on the shape of an entry; undefined when the shape is usable. */
export function shapeProblem(
  { type, subject, user, account, body }: Pick<Entry, "type" | "subject" | "user" | "account" | "body">,
  { text, values = Number.POSITIVE_INFINITY }: KnownBody = {},
): Refused | undefined {
  if (holdsUnstorable(user) || holdsUnstorable(account)) return invalid(`An identifier holds ${UNSTORABLE}.`);
  if (type === "track") {
    if (subject === "account") return { code: "forbidden", message: "Only users can be tracked, not accounts." };
    if (typeof body.event !== "string" || body.event === "")
      return invalid("A track entry needs the name of its event.");
    const tooLarge = eventSizeProblem(body, text);
    if (tooLarge) return invalid(tooLarge);
    if (!isStorableText(body.event)) return invalid(`The name of the event holds ${UNSTORABLE}.`);
    if (typeof body.event_id === "string" && !isStorableText(body.event_id)) {
      return invalid(`The event_id holds ${UNSTORABLE}.`);
    }
  }
  if (values > MAX_VALUES && holdsMoreThan(body, MAX_VALUES)) {
    return invalid(`The body of an entry holds at most ${MAX_VALUES} values.`);
  }
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
 * Why an end user may not make an entry; undefined when it may. Only the connector assigns identifiers; an end user
 * only adds and removes the ids of its own browsers.
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
    { what: "name", given: event, words: [USER_MERGED.event, USER_UNMERGED.event, SEGMENTS_CHANGED.event] },
    { what: "type", given: type, words: [USER_MERGED.type, USER_UNMERGED.type, SEGMENTS_CHANGED.type] },
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

// PostgreSQL refuses a NUL, and stores different halves of surrogate pairs as the same text, so different keys would become one.
export const UNSTORABLE = "a NUL character or half a surrogate pair";

function holdsUnstorable(claims: Entry["user"] | Entry["account"]): boolean {
  return claims !== undefined && Object.values(claims).some((value) => !isStorableText(value));
}

/**
 * Gives a track entry its event id: the one of its sender, which overwrites an event with that id, or a derived one.
 */
export function nameEvent(entry: Entry, timestampMs: number, derive: (content: string) => string): void {
  const given = givenEventId(entry.body);
  if (given !== undefined) {
    entry.eventId = given;
    entry.overwrites = true;
  } else {
    entry.eventId = derive(JSON.stringify([entry.connectorId, entry.user, entry.account, timestampMs, entry.body]));
  }
}

/** The event id in the body of a track entry; undefined when its sender has given none. */
export function givenEventId({ event_id: given }: Entry["body"]): string | undefined {
  if (!((typeof given === "string" && given !== "") || typeof given === "number")) return undefined;
  // The cut may leave the first half of a surrogate pair.
  return String(given)
    .slice(0, MAX_EVENT_ID_LENGTH)
    .replace(/\p{Surrogate}$/u, "");
}

/** Reads ISO 8601 text, or unix seconds, as milliseconds. Undefined when it is neither. */
export function readTimestamp(given: unknown): number | undefined {
  if (typeof given === "string") return readDate(given);
  if (typeof given !== "number" || !(Math.abs(given * 1_000) <= MAX_DATE_MS)) return undefined;
  return Math.round(given * 1_000);
}

export function invalid(message: string): Refused {
  return { code: "invalid_parameter", message };
}
