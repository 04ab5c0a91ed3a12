import {
  type AccountUpdateMessage,
  type EventRecord,
  type FilteredSubject,
  leftSegmentFilter,
  passesSegmentFilter,
  type SegmentChanges,
  type SegmentRecord,
  standardEvents,
  type UserUpdateMessage,
} from "@muster/protocol";
import { mayTell } from "../analytics/integrations.js";
import type { StoredMessage, StoredSegmentChanges, StoredUpdate } from "./message.js";
import type { Subscription } from "./subscription.js";
import { toldEvents } from "./told-events.js";

export type SegmentsById = ReadonlyMap<string, SegmentRecord>;

/** Whether a subscription gets a message: its filter lets the subject pass, and the message holds something it wants. */
export function isWanted(message: StoredUpdate, subscription: Subscription): boolean {
  const { changes, events = [], account } = message;
  if (!matchesFilter(message, subscription) && !hasJustLeft(message, subscription)) return false;
  if (events.length === 0 || events.some((event) => isFor(subscription, event))) return true;
  // It has events, and none of them is for the subscription: it gets the message only if something else changed.
  const changed = [changes.attributes, account?.attributes ?? {}].some((part) => Object.keys(part).length > 0);
  const moved = [changes.segments, account?.segments ?? NO_MOVES].some((moves) => standardEvents(moves).length > 0);
  return changed || changes.is_new || moved;
}

/** Whether the messages of a subscription contain an event: it wants such events, and the sender lets the connector know. */
function isFor(
  { events: wanted, connectorName }: Subscription,
  { event, context }: Pick<EventRecord, "event" | "context">,
): boolean {
  return (!wanted || wanted.has(event)) && mayTell(context, connectorName);
}

const NO_MOVES: StoredSegmentChanges = { entered: [], left: [] };

/**
 * Whether the subject is now among those that the subscription is filtered by. A subject that is sent only because it has
 * just left is not, which is how the connector can tell.
 */
function matchesFilter(message: StoredUpdate, { filters }: Subscription): boolean {
  const filter = filters[message.kind];
  return !filter || passesSegmentFilter(filter, filtered(message));
}

function hasJustLeft(message: StoredUpdate, { filters }: Subscription): boolean {
  const { is_new: isNew, attributes, segments } = message.changes;
  const filter = filters[message.kind];
  if (!filter) return false;
  return leftSegmentFilter(filter, filtered(message), { isNew, attributes, leftSegmentIds: segments.left });
}

/**
 * A stored message in the form that one subscription gets: with the records of segments, and only the events it wants.
 * `ownSource` is the source of Muster's own events.
 */
export function tailorMessage(
  message: StoredMessage,
  subscription: Subscription,
  segments: SegmentsById,
  ownSource: string,
): object {
  switch (message.kind) {
    case "notice":
      return message.body;
    case "user":
      return userMessage(message, subscription, segments, ownSource);
    case "account":
      return accountMessage(message, subscription, segments);
  }
}

function userMessage(
  message: StoredUpdate,
  subscription: Subscription,
  segments: SegmentsById,
  ownSource: string,
): UserUpdateMessage {
  const { account, changes } = message;
  const moves = segmentRecords(changes.segments, segments);
  const events = toldEvents(message, moves, ownSource);
  return {
    message_id: message.message_id,
    user: message.entity,
    account: account?.entity ?? {},
    segments: recordsOf(message.segment_ids, segments),
    segment_ids: message.segment_ids,
    account_segments: recordsOf(account?.segment_ids ?? [], segments),
    account_segment_ids: account?.segment_ids ?? [],
    events: events.filter((event) => isFor(subscription, event)),
    changes: {
      is_new: changes.is_new,
      user: changes.attributes,
      account: account?.attributes ?? {},
      segments: moves,
      account_segments: segmentRecords(account?.segments ?? NO_MOVES, segments),
    },
    matchesFilter: matchesFilter(message, subscription),
  };
}

function accountMessage(
  message: StoredUpdate,
  subscription: Subscription,
  segments: SegmentsById,
): AccountUpdateMessage {
  return {
    message_id: message.message_id,
    account: message.entity,
    account_segments: recordsOf(message.segment_ids, segments),
    account_segment_ids: message.segment_ids,
    changes: {
      is_new: message.changes.is_new,
      account: message.changes.attributes,
      account_segments: segmentRecords(message.changes.segments, segments),
    },
    matchesFilter: matchesFilter(message, subscription),
  };
}

function filtered({ kind, entity, segment_ids }: StoredUpdate): FilteredSubject {
  return { subjectType: kind, report: entity, segmentIds: segment_ids };
}

function segmentRecords({ entered, left }: StoredSegmentChanges, segments: SegmentsById): SegmentChanges {
  return { entered: recordsOf(entered, segments), left: recordsOf(left, segments) };
}

/** The records of segments. A segment that was deleted in the meantime is left out. */
function recordsOf(ids: readonly string[], segments: SegmentsById): SegmentRecord[] {
  return ids.flatMap((id) => segments.get(id) ?? []);
}
