import { randomUUID } from "node:crypto";
import {
  DAY_MS,
  deriveId,
  EARLIEST_STORED_MS,
  isObject,
  LATEST_STORED_MS,
  MUSTER_SOURCE,
  nonEmptyText,
  SEGMENT_EVENTS,
} from "@muster/protocol";
import { readDate } from "../attributes/read-date.js";
import { type EntityReference, readEntityReference } from "../entities/entity-reference.js";
import type { Entry } from "../entries/entry.js";
import { OLDEST_OF_PAGE_MS } from "../entries/record-time.js";
import { addressOf, type ContextReaders, eventContext } from "../events/event-context.js";
import { type EventPlans, type NamedEvent, type PlanProblems, refusalOf } from "../events/event-plan.js";
import { latest, mergeSessions } from "../identity/merge.js";
import { isHintAbout } from "../identity/proof.js";
import type { Roster } from "../identity/roster.js";
import { greatest, least } from "../profiles/known-numbers.js";
import type { Profile, Written } from "../profiles/profile.js";

/** A stored event that a record with the same event id overwrites: its name, and the ids that its user and account had then. */
export interface OverwrittenEvent extends NamedEvent {
  userId: string;
  /** The half of its user that it was of, if that is not the one with `userId`. */
  originId?: string;
  /** Undefined without an account. Older events were stored without it. */
  accountId: string | undefined;
}

/** An event of the present micro-batch. Its user may still be merged into another before the batch ends. */
export interface PendingEvent extends NamedEvent {
  /** Random for an end user that gave an event id. A derived id is short, so an attacker could search for a given value. */
  id: string;
  eventId: string;
  source: string;
  type: string;
  createdAt: number;
  user: Profile | undefined;
  originId: string;
  /** Nobody can tell whether it is of another one who was merged into that one. */
  isUndecided?: true;
  accountId: string | undefined;
  anonymousId: string | undefined;
  sessionId: string | undefined;
  properties: Record<string, unknown>;
  context: Record<string, unknown>;
  /** The entry, when an end user made it. */
  ofEndUser?: Entry;
  /** Whether its sender gave the event id. Otherwise it is derived from the record. */
  hasGivenId: boolean;
  overwrites?: OverwrittenEvent | undefined;
  /** The job that brought it, as the source of cells names it, and the time of its record. */
  job?: { source: string; at: number };
  /** It overwrites an event that the same job has brought. */
  isAgain?: true;
  /** The entity that the user acted on, as the entry names it, and that entry. */
  acts?: { on: EntityReference; entry: Entry };
  /** The id of that entity, once it is known. */
  entityId?: string;
}

/** What the making of an event needs, besides its user. */
export interface TrackContext extends ContextReaders {
  users: Roster;
  eventPlans: EventPlans;
  /** What did not follow the plans in this micro-batch. */
  planProblems: PlanProblems;
}

export const MAX_EVENT_NAME_LENGTH = 512;

/** Texts of an event that are kept beside its properties, some of them with the user. */
const KEPT_TEXTS = [
  { key: "session_id", length: 256 },
  { key: "_sid", length: 256 },
  { key: "_bid", length: 256 },
  { key: "ip", length: 64 },
  { key: "source", length: 512 },
  { key: "type", length: 512 },
] as const;

const MOVES: ReadonlySet<string> = new Set(Object.values(SEGMENT_EVENTS));

/** An end user may say when an event was, as far back as a page can have kept it. The clock of the page may be wrong. */
const END_USER_FUTURE_MS = DAY_MS;

/** Builds the event of a track entry and updates when its user was seen. Returns a sentence when the entry is refused. */
export function trackEvent(user: Profile, entry: Entry, written: Written, state: TrackContext): PendingEvent | string {
  const { body, byEndUser, overwrites } = entry;
  const { event: given } = body;
  if (typeof given !== "string" || given === "") return "A track entry needs the name of its event.";
  if (given.length > MAX_EVENT_NAME_LENGTH || given.includes("\0")) {
    return `Event names have at most ${MAX_EVENT_NAME_LENGTH} characters and no NUL.`;
  }
  const isMove = isEarlierMove(given, entry);
  if (body.source === MUSTER_SOURCE && !isMove)
    return `The source "${MUSTER_SOURCE}" is kept for events that Muster itself makes.`;
  const tooLong = KEPT_TEXTS.find(({ key, length }) => typeof body[key] === "string" && body[key].length > length);
  if (tooLong) return `The ${tooLong.key} of an event has at most ${tooLong.length} characters.`;
  const createdAt = readCreatedAt(body.created_at, entry.at);
  if (createdAt === undefined) {
    // Serialised as JSON, because an object of a client may have a `toString` that is not a function.
    return `${JSON.stringify(body.created_at).slice(0, 100)} cannot be read as the event's date.`;
  }
  if (byEndUser && (createdAt < entry.at - OLDEST_OF_PAGE_MS || createdAt > entry.at + END_USER_FUTURE_MS)) {
    return "An event of an end user is at most a year older, and a day newer, than its record.";
  }
  const event = state.eventPlans.currentName(given);
  const properties = isObject(body.properties) ? body.properties : {};
  const broken = state.eventPlans.check(event, properties);
  if (broken) {
    state.planProblems.note(event, broken.problems, broken.refuses);
    if (broken.refuses) return refusalOf(event, broken.problems);
  }
  const eventId = entry.eventId ?? "";
  const sessionId = nonEmptyText(body.session_id) ?? nonEmptyText(body._sid);
  const context = eventContext(body, entry.context ?? {}, state);
  if (written.unproved) context.unproved = true;
  const on = readEntityReference(body);
  const ip = addressOf(body, entry.context ?? {});
  // The user can read address and sessions, and an unproved event may be of another person.
  const place = isHintAbout(user, written) ? {} : { ip, sessionId };
  const seen = { at: createdAt, recordedAt: entry.at, unproved: written.unproved, ...place };
  if (!isMove) markSeen(user, seen, state.users);
  const named = state.users.halves.named(user);
  if (named) {
    if (!isMove) markSeen(named.half.profile, seen, state.users.halves);
    if (!named.isDecided) named.half.undecided.events += 1;
  }
  return {
    id: deriveId("event", Math.max(0, createdAt), byEndUser && overwrites ? randomUUID() : eventId),
    event,
    ...(event === given ? {} : { sentAs: given }),
    eventId,
    source: nonEmptyText(body.source) ?? "",
    type: isMove ? MUSTER_SOURCE : (nonEmptyText(body.type) ?? "track"),
    createdAt,
    user,
    originId: named?.half.profile.id ?? user.id,
    ...(named && !named.isDecided ? { isUndecided: true as const } : {}),
    accountId: user.accountId,
    anonymousId: entry.user?.anonymous_id ?? nonEmptyText(body._bid),
    sessionId,
    properties,
    context,
    ...(byEndUser ? { ofEndUser: entry } : {}),
    hasGivenId: overwrites === true,
    ...(on ? { acts: { on, entry } } : {}),
  };
}

/** Whether an import brings a move of a segment from before the segment was here. The user has done nothing then. */
function isEarlierMove(event: string, { jobId, body }: Entry): boolean {
  const isOfSegment = isObject(body.properties) && nonEmptyText(body.properties.segment_id) !== undefined;
  return jobId !== undefined && body.source === MUSTER_SOURCE && MOVES.has(event) && isOfSegment;
}

interface UserActivity {
  at: number;
  recordedAt: number;
  unproved: true | undefined;
  ip?: string | undefined;
  sessionId?: string | undefined;
}

function markSeen(user: Profile, activity: UserActivity, users: Pick<Roster, "touch">): void {
  const { at, recordedAt, unproved, ip, sessionId } = activity;
  const mark = unproved ? { unproved } : {};
  user.firstSeenAt = least(user.firstSeenAt, at);
  user.lastSeenAt = greatest(user.lastSeenAt, at);
  if (ip) user.lastKnownIp = latest(user.lastKnownIp, { value: ip, at, ...mark });
  if (sessionId) {
    const session = { value: sessionId, at, ...mark };
    user.sessions = mergeSessions(user.sessions, {
      first: session,
      latest: session,
      signup: { value: sessionId, at: recordedAt, ...mark },
    });
  }
  user.hasEvents = true;
  users.touch(user);
}

/** Reads a date, or unix seconds as a number or a text. Without a value, it is the time of the record. */
function readCreatedAt(given: unknown, recordedAt: number): number | undefined {
  if (given === undefined || given === null || given === "") return recordedAt;
  const isSeconds = typeof given === "number" || (typeof given === "string" && /^\d+(\.\d+)?$/.test(given));
  const time = isSeconds ? Math.round(Number(given) * 1_000) : typeof given === "string" ? readDate(given) : undefined;
  return time !== undefined && time >= EARLIEST_STORED_MS && time <= LATEST_STORED_MS ? time : undefined;
}
