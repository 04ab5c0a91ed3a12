import { deriveId, type SubjectType } from "@muster/protocol";
import { MUSTER_SOURCE, type StoredEvent } from "../changes/change-set.js";

export interface OwnEvent {
  event: string;
  /** The subject whose timeline shows the event. */
  subjectType: SubjectType;
  subjectId: string;
  /** Distinguishes events of the same name within one change. */
  about: string;
  /** The change that the event belongs to. It is part of the event's id: replaying the change gives the same event. */
  sequence: number;
  at: number;
  properties: Record<string, unknown>;
}

/** Builds an event that Muster itself adds to a timeline, for example `Entered segment`. */
export function ownEvent({ event, subjectType, subjectId, about, sequence, at, properties }: OwnEvent): StoredEvent {
  const eventId = `${event} ${about} ${sequence}`;
  const userId = subjectType === "user" ? subjectId : "";
  return {
    id: deriveId("event", at, eventId),
    event,
    event_id: eventId,
    event_source: MUSTER_SOURCE,
    event_type: MUSTER_SOURCE,
    created_at: new Date(at).toISOString(),
    user_id: userId,
    origin_id: userId,
    account_id: subjectType === "account" ? subjectId : null,
    anonymous_id: null,
    session_id: null,
    properties,
    context: {},
  };
}
