import {
  type AccountUpdateMessage,
  SEGMENTS_CHANGED,
  type SegmentRecord,
  type UserUpdateMessage,
  type ValueChange,
  withoutUserAttributePrefix,
} from "@muster/protocol";
import type { Kind, Settings } from "./settings.js";

/** One call to make. */
export interface Delivery {
  /** Stays the same when Muster sends the message again. */
  id: string;
  payload: { kind: Kind } & Record<string, unknown>;
}

/** The calls to make for a `user:update` message. In a batch there is one call for each user. */
export function userDeliveries(message: UserUpdateMessage, settings: Settings, isBatch: boolean): Delivery[] {
  const { user, account, segments, account_segments, changes, events, matchesFilter } = message;
  const about = {
    user,
    account,
    segments: idsAndNames(segments),
    account_segments: idsAndNames(account_segments),
    changes,
  };
  if (isBatch) return [{ id: `${message.message_id}:batch`, payload: { kind: "user.updated", ...about } }];
  const found: Delivery[] = [];
  const add = (kind: Kind, key: string, more: Record<string, unknown> = {}) => {
    if (settings.triggers.has(kind)) {
      found.push({ id: `${message.message_id}:${kind}${key}`, payload: { kind, ...about, ...more } });
    }
  };
  // For a user who has left the chosen segments, the only call is the one about leaving.
  if (matchesFilter) {
    if (changes.is_new) add("user.created", "");
    else if (isWatched(changes.user, settings)) add("user.updated", "");
    for (const event of events) {
      // Each segment has its own call, so the event about all segments is sent only if the settings name it.
      const isWanted =
        settings.watchedEvents.has(event.event) ||
        (settings.watchedEvents.size === 0 && event.event_type !== SEGMENTS_CHANGED.type);
      if (isWanted) add("user.event", `:${event.event_id}`, { event });
    }
    for (const segment of changes.segments.entered)
      add("segment.entered", `:${segment.id}`, { segment: idAndName(segment) });
  }
  for (const segment of changes.segments.left) add("segment.left", `:${segment.id}`, { segment: idAndName(segment) });
  return found;
}

/** The calls to make for an `account:update` message. */
export function accountDeliveries(message: AccountUpdateMessage, settings: Settings, isBatch: boolean): Delivery[] {
  const { message_id, account, account_segments, changes, matchesFilter } = message;
  const isWanted = matchesFilter && (changes.is_new || isWatched(changes.account, settings));
  if (!isBatch && !(isWanted && settings.triggers.has("account.updated"))) return [];
  const payload = {
    kind: "account.updated" as const,
    account,
    account_segments: idsAndNames(account_segments),
    changes,
  };
  return [{ id: `${message_id}:account.updated`, payload }];
}

function isWatched(changes: Readonly<Record<string, ValueChange>>, { watchedAttributes }: Settings): boolean {
  const changed = Object.keys(changes).map(withoutUserAttributePrefix);
  return watchedAttributes.size === 0
    ? changed.length > 0
    : changed.some((attribute) => watchedAttributes.has(attribute));
}

function idsAndNames(segments: readonly SegmentRecord[]): { id: string; name: string }[] {
  return segments.map(idAndName);
}

function idAndName({ id, name }: SegmentRecord): { id: string; name: string } {
  return { id, name };
}
