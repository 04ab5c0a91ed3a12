import type { Event } from "@muster/protocol/api/events";

/** An event as it is stored and read back. `origin_id` is the user from before any merge: undoing a merge needs it. */
export type StoredEvent = Event & { origin_id: string };

/** Identifies an event row that must be deleted. */
export interface EventKey {
  id: string;
  event: string;
  createdAt: number;
}
