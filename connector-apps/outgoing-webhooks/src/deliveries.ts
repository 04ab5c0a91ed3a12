import {
  type AccountUpdateMessage,
  type SegmentRecord,
  type UserUpdateMessage,
  type ValueChange,
  withoutUserAttributePrefix,
} from "@muster/protocol";
import type { Kind, Settings } from "./settings.js";

/** One call to make. */
export interface Delivery {
  /** The same for the same news, however often it is told. */
  id: string;
  payload: { kind: Kind } & Record<string, unknown>;
}

/** The calls to make for a user that changed. A batch sends everybody in it as they are. */
export function userDeliveries(message: UserUpdateMessage, settings: Settings, isBatch: boolean): Delivery[] {
  const { user, account, segments, account_segments, changes, events, matchesFilter } = message;
  const about = { user, account, segments: named(segments), account_segments: named(account_segments), changes };
  if (isBatch) return [{ id: `${message.message_id}:batch`, payload: { kind: "user.updated", ...about } }];
  const found: Delivery[] = [];
  const add = (kind: Kind, key: string, more: Record<string, unknown> = {}) => {
    if (settings.triggers.has(kind)) {
      found.push({ id: `${message.message_id}:${kind}${key}`, payload: { kind, ...about, ...more } });
    }
  };
  // Whoever has just left the wanted segments is told of only for that.
  if (matchesFilter) {
    if (changes.is_new) add("user.created", "");
    else if (isWatched(changes.user, settings)) add("user.updated", "");
    for (const event of events) {
      const isWanted = settings.watchedEvents.size === 0 || settings.watchedEvents.has(event.event);
      if (isWanted) add("user.event", `:${event.event_id}`, { event });
    }
    for (const segment of changes.segments.entered)
      add("segment.entered", `:${segment.id}`, { segment: name(segment) });
  }
  for (const segment of changes.segments.left) add("segment.left", `:${segment.id}`, { segment: name(segment) });
  return found;
}

/** The calls to make for an account that changed. */
export function accountDeliveries(message: AccountUpdateMessage, settings: Settings, isBatch: boolean): Delivery[] {
  const { message_id, account, account_segments, changes, matchesFilter } = message;
  const isNews = matchesFilter && (changes.is_new || isWatched(changes.account, settings));
  if (!isBatch && !(isNews && settings.triggers.has("account.updated"))) return [];
  const payload = { kind: "account.updated" as const, account, account_segments: named(account_segments), changes };
  return [{ id: `${message_id}:account.updated`, payload }];
}

function isWatched(changes: Readonly<Record<string, ValueChange>>, { watchedAttributes }: Settings): boolean {
  const changed = Object.keys(changes).map(withoutUserAttributePrefix);
  return watchedAttributes.size === 0
    ? changed.length > 0
    : changed.some((attribute) => watchedAttributes.has(attribute));
}

function named(segments: readonly SegmentRecord[]): { id: string; name: string }[] {
  return segments.map(name);
}

function name({ id, name }: SegmentRecord): { id: string; name: string } {
  return { id, name };
}
