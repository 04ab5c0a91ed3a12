import type { AccountUpdateMessage, SegmentChanges, SegmentRecord, UserUpdateMessage } from "@muster/protocol";
import type { StoredMessage, StoredSegmentChanges, StoredUpdate } from "./message.js";
import { type FilteredSubject, letsPass, matchesFilter, type Subscription } from "./subscription.js";
import { toldEvents } from "./told-events.js";

export type SegmentsById = ReadonlyMap<string, SegmentRecord>;

/** Whether a subscription gets a message: its filter lets the subject pass, and the message holds something it wants. */
export function isWanted(message: StoredUpdate, subscription: Subscription): boolean {
  const { kind, changes, events = [], account } = message;
  if (!letsPass(subscription.filters[kind], filtered(message), changes.segments.left)) return false;
  const { events: wanted } = subscription;
  if (!wanted || events.length === 0 || events.some(({ event }) => wanted.has(event))) return true;
  // It has events, and the subscription wants none of them: it gets the message only if something else changed.
  const changed = [changes.attributes, account?.attributes ?? {}].some((part) => Object.keys(part).length > 0);
  return changed || changes.is_new || changes.segments.entered.length > 0 || changes.segments.left.length > 0;
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
  const { events: wanted } = subscription;
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
    events: wanted ? events.filter(({ event }) => wanted.has(event)) : events,
    changes: {
      is_new: changes.is_new,
      user: changes.attributes,
      account: account?.attributes ?? {},
      segments: moves,
      account_segments: segmentRecords(account?.segments ?? { entered: [], left: [] }, segments),
    },
    matchesFilter: matchesFilter(subscription.filters.user, filtered(message)),
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
    matchesFilter: matchesFilter(subscription.filters.account, filtered(message)),
  };
}

function filtered({ entity, segment_ids }: StoredUpdate): FilteredSubject {
  const isIdentified = [entity.email, entity.external_id].some((value) => value !== null && value !== undefined);
  return { segmentIds: segment_ids, isIdentified };
}

function segmentRecords({ entered, left }: StoredSegmentChanges, segments: SegmentsById): SegmentChanges {
  return { entered: recordsOf(entered, segments), left: recordsOf(left, segments) };
}

/** The records of segments. A segment that was deleted meanwhile has none and is left out. */
function recordsOf(ids: readonly string[], segments: SegmentsById): SegmentRecord[] {
  return ids.flatMap((id) => segments.get(id) ?? []);
}
