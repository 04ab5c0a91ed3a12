import { deriveId, MUSTER_SOURCE } from "@muster/protocol";
import type { Entry } from "../entries/entry.js";
import type { Roster } from "../identity/roster.js";
import type { Profile } from "../profiles/profile.js";
import type { PendingEvent } from "./track-event.js";

export type ImportAction = "new" | "updated";

/** The `Imported User` event of an imported user. Each job makes one, also for a file that was imported before. */
export function importedEvent(user: Profile, entry: Entry, action: ImportAction, users: Roster): PendingEvent {
  const eventId = `Imported User ${entry.jobId} ${entry.line}`;
  user.hasEvents = true;
  users.touch(user);
  return {
    id: deriveId("event", entry.at, eventId),
    event: "Imported User",
    eventId,
    source: MUSTER_SOURCE,
    type: MUSTER_SOURCE,
    createdAt: entry.at,
    user,
    originId: user.id,
    accountId: user.accountId,
    anonymousId: undefined,
    sessionId: undefined,
    properties: { ...entry.announces, action },
    context: {},
    hasGivenId: false,
  };
}
