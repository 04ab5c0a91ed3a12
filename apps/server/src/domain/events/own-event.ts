import { deriveId, MUSTER_SOURCE, type SubjectType } from "@muster/protocol";
import type { StoredEvent } from "./stored-event.js";

/** The event about changed attributes: its properties have the values, and its context says who wrote them. */
export const ATTRIBUTES_CHANGED = "attributes_changed";
/** The same event for connectors of the service before Muster, which filter it by this name. */
export const OLDER_ATTRIBUTES_CHANGED = "Attributes changed";

export interface OwnEvent {
  event: string;
  /** The subject whose timeline shows the event. */
  subjectType: SubjectType;
  subjectId: string;
  /** Default: `platform`. */
  type?: string;
  /** Distinguishes events of the same name within one change. */
  about: string;
  /** The change that the event belongs to. Replaying it gives the same event. */
  sequence: number;
  at: number;
  properties: Record<string, unknown>;
  context?: Record<string, unknown>;
  /** Default: made of the name, `about` and `sequence`. It is part of the id of the event too. */
  eventId?: string;
}

/** Builds an event that Muster itself adds to a timeline, for example `Entered segment`. */
export function ownEvent(given: OwnEvent): StoredEvent {
  const { event, type = MUSTER_SOURCE, subjectType, subjectId, about, sequence, at, properties, context = {} } = given;
  const eventId = given.eventId ?? `${event} ${about} ${sequence}`;
  const userId = subjectType === "user" ? subjectId : "";
  return {
    id: deriveId("event", at, eventId),
    event,
    event_id: eventId,
    event_source: MUSTER_SOURCE,
    event_type: type,
    created_at: new Date(at).toISOString(),
    user_id: userId,
    origin_id: userId,
    account_id: subjectType === "account" ? subjectId : null,
    anonymous_id: null,
    session_id: null,
    properties,
    context,
  };
}

/**
 * The id that the subject of a change or a move had then. A merge gives the event to the survivor, and its `event_id` stays:
 * it ends with the subject and the sequence.
 */
export function subjectIdThen({ event_id }: Pick<StoredEvent, "event_id">): string {
  return event_id.split(" ").at(-2) ?? "";
}
