import { deriveId } from "@muster/protocol";
import { PLATFORM } from "../changes/change-set.js";
import type { Entry } from "../entries/entry.js";
import type { PendingEvent } from "../events/track-event.js";
import type { Profile } from "../identity/profile.js";
import type { Roster } from "../identity/roster.js";

export type ImportAction = "new" | "updated";

/** The `Imported User` event of an entry that announces its import. A file imported again tells it once per job. */
export function importedEvent(user: Profile, entry: Entry, action: ImportAction, users: Roster): PendingEvent {
  const eventId = `Imported User ${entry.jobId} ${entry.line}`;
  user.hasEvents = true;
  users.touch(user);
  return {
    id: deriveId("event", entry.at, eventId),
    event: "Imported User",
    eventId,
    source: PLATFORM,
    type: PLATFORM,
    createdAt: entry.at,
    user,
    originId: user.id,
    accountId: user.accountId,
    anonymousId: undefined,
    sessionId: undefined,
    properties: { ...entry.announces, action },
    context: {},
  };
}
