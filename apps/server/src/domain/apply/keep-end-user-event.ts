import type { Entry } from "../entries/entry.js";
import type { NamedEvent } from "../events/event-plan.js";
import type { EventKey } from "../events/stored-event.js";
import type { OverwrittenEvent, PendingEvent } from "./track-event.js";

/** An event to which an end user gave an id. Such an id belongs to one user. */
export interface EndUserEvent extends EventKey, NamedEvent {
  /** The user when the event was recorded first. After a merge it is a former id of the user. */
  userId: string;
  eventId: string;
  /** The record time of the entry that the event was made from. */
  recordedAt: number;
  accountId: string | undefined;
  /** The event that was stored under the event id before the micro-batch. */
  stored?: Omit<OverwrittenEvent, "userId"> | undefined;
}

/** The events of a micro-batch, as `Outcome` has them. */
interface Events {
  events: Map<string, PendingEvent>;
  replaced: Map<string, EventKey>;
}

/**
 * Keeps an event to which an end user gave an id. `known` are the stored events with that id of the same user: several
 * when profiles that each had one were merged. The one with the same name is overwritten, or else the first. Returns
 * what is then known; undefined when the stored event is newer.
 */
export function keepEndUserEvent(
  { event, entry, userId }: { event: PendingEvent; entry: Entry; userId: string },
  known: readonly EndUserEvent[],
  { events, replaced }: Events,
): EndUserEvent | undefined {
  const before = known.find((candidate) => candidate.event === event.event) ?? known[0];
  if (before && (entry.once || before.recordedAt > entry.at)) return undefined;
  if (before?.createdAt === event.createdAt && before.event === event.event) event.id = before.id;
  else if (before) {
    const { id, event: name, createdAt } = before;
    replaced.set(`${id} ${name}`, { id, event: name, createdAt });
    events.delete(id);
  }
  events.set(event.id, event);
  const stored = before?.stored;
  if (stored) event.overwrites = { ...stored, userId, originId: before.userId };
  return {
    userId: before?.userId ?? event.originId,
    eventId: event.eventId,
    id: event.id,
    event: event.event,
    sentAs: event.sentAs,
    createdAt: event.createdAt,
    recordedAt: entry.at,
    accountId: event.accountId,
    stored,
  };
}
