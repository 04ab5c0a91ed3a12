import { countEvents } from "../../domain/apply/count-events.js";
import type { Outcome } from "../../domain/apply/entry-application.js";
import { lostEvents } from "../../domain/apply/lost-events.js";
import type { Roster } from "../../domain/identity/roster.js";
import type { Profile } from "../../domain/profiles/profile.js";
import type { Transaction } from "../../storage/postgres/database.js";
import { forgetEventCounts } from "../../storage/postgres/profiles/merge-halves.js";
import { loadProfiles, saveUserState } from "../../storage/postgres/profiles/profiles.js";

/**
 * Counts the events of a micro-batch for their users, and adds to the outcome the events that others have lost to them.
 * Call it once it is known which events are kept, and whose they are.
 */
export async function countKeptEvents(
  tx: Transaction,
  organizationId: string,
  outcome: Outcome,
  users: Roster,
): Promise<void> {
  const losing = countEvents(outcome.events.values(), users);
  const losers = await forgetCounts(tx, organizationId, losing.users, users);
  await forgetCountsOfHalves(tx, organizationId, losing.halves, users);
  outcome.lost = lostEvents(outcome.events.values(), users, losers);
}

/** The same for halves. Those that are not in memory are changed where they are stored. */
async function forgetCountsOfHalves(
  tx: Transaction,
  organizationId: string,
  ids: ReadonlySet<string>,
  users: Roster,
): Promise<void> {
  const stored: string[] = [];
  for (const id of ids) {
    const half = users.halves.find(id)?.profile;
    if (!half) stored.push(id);
    else {
      half.eventCounts = undefined;
      users.halves.touch(half);
    }
  }
  await forgetEventCounts(tx, organizationId, stored);
}

/** The counts of users that lost an event are not known any more. Returns these users, by the given ids. */
async function forgetCounts(
  tx: Transaction,
  organizationId: string,
  ids: ReadonlySet<string>,
  users: Roster,
): Promise<Map<string, Profile>> {
  const losers = new Map<string, Profile>();
  if (ids.size === 0) return losers;
  // The ids may be from before a merge.
  const stored = await loadProfiles(tx, "user", organizationId, { ids, identifiers: [] });
  for (const { profile, formerIds } of stored) {
    const inMemory = users.find(profile.id);
    const user = inMemory ? users.current(inMemory) : profile;
    user.eventCounts = undefined;
    if (!inMemory) await saveUserState(tx, organizationId, user);
    else if (!users.isRemoved(user)) users.touch(user);
    for (const id of [profile.id, ...formerIds]) losers.set(id, user);
  }
  return losers;
}
