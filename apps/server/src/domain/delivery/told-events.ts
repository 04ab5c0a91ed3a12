import {
  type EventRecord,
  MUSTER_SOURCE,
  SEGMENTS_CHANGED,
  type SegmentChanges,
  type SegmentRecord,
  USER_MERGED,
  USER_UNMERGED,
} from "@muster/protocol";
import type { StoredUpdate } from "./message.js";

const TOLD = [USER_MERGED, USER_UNMERGED];

/**
 * The events of a message about a user, as connectors get them. Connectors recognise a merge by the brand as its
 * source, and get one event about all segments that the user entered and left.
 */
export function toldEvents(message: StoredUpdate, moves: SegmentChanges, ownSource: string): EventRecord[] {
  const events = (message.events ?? []).map((event) => {
    const told = event.event_source === MUSTER_SOURCE && TOLD.find(({ event: name }) => name === event.event);
    return told ? { ...event, event_source: ownSource, event_type: told.type } : event;
  });
  const { moved_at: movedAt } = message.changes;
  if (movedAt === undefined || moves.entered.length + moves.left.length === 0) return events;
  return [
    ...events,
    {
      event: SEGMENTS_CHANGED.event,
      event_id: `${message.message_id}:${SEGMENTS_CHANGED.type}`,
      event_source: ownSource,
      event_type: SEGMENTS_CHANGED.type,
      created_at: movedAt,
      user_id: message.entity.id,
      anonymous_id: null,
      session_id: null,
      properties: { entered: moves.entered.map(idAndName), left: moves.left.map(idAndName) },
      context: {},
    },
  ];
}

function idAndName({ id, name }: SegmentRecord): Pick<SegmentRecord, "id" | "name"> {
  return { id, name };
}
