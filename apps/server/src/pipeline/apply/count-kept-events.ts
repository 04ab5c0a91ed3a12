import { countEvents } from "../../domain/apply/count-events.js";
import type { Outcome } from "../../domain/apply/entry-application.js";
import type { Roster } from "../../domain/identity/roster.js";
import type { Transaction } from "../../storage/postgres/database.js";
import { loadProfiles, saveUserState } from "../../storage/postgres/profiles/profiles.js";

/** Counts the events of a micro-batch for their users. Call it once it is known which events are kept, and whose they are. */
export async function countKeptEvents(
  tx: Transaction,
  organizationId: string,
  { events }: Outcome,
  users: Roster,
): Promise<void> {
  const losers = countEvents(events.values(), users);
  if (losers.size === 0) return;
  // Their ids may be from before a merge.
  for (const { profile } of await loadProfiles(tx, "user", organizationId, { ids: losers, identifiers: [] })) {
    const inMemory = users.find(profile.id);
    const user = inMemory ? users.current(inMemory) : profile;
    user.eventCounts = undefined;
    if (!inMemory) await saveUserState(tx, organizationId, user);
    else if (!users.isRemoved(user)) users.touch(user);
  }
}
