import { deriveId, type SubjectType } from "@muster/protocol";
import { PLATFORM, type StoredEvent } from "../changes/change-set.js";

export interface PlatformEvent {
  event: string;
  /** Whose timeline it is in. */
  subject: SubjectType;
  subjectId: string;
  /** What tells it from others of the same name and moment. */
  about: string;
  /** The change it belongs to: made again for the same change, it is the same event. */
  sequence: number;
  at: number;
  properties: Record<string, unknown>;
}

export function platformEvent({
  event,
  subject,
  subjectId,
  about,
  sequence,
  at,
  properties,
}: PlatformEvent): StoredEvent {
  const eventId = `${event} ${about} ${sequence}`;
  const userId = subject === "user" ? subjectId : "";
  return {
    id: deriveId("event", at, eventId),
    event,
    event_id: eventId,
    event_source: PLATFORM,
    event_type: PLATFORM,
    created_at: new Date(at).toISOString(),
    user_id: userId,
    origin_id: userId,
    account_id: subject === "account" ? subjectId : null,
    anonymous_id: null,
    session_id: null,
    properties,
    context: {},
  };
}
