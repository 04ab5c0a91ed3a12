import type { LostEvent } from "../changes/change-set.js";
import type { Roster } from "../identity/roster.js";
import type { Profile } from "../profiles/profile.js";
import type { PendingEvent } from "./track-event.js";

/**
 * The events that another user had, that were within another account, or that had another name, before records of a
 * micro-batch overwrote them. `formerUsers` are those other users as they are now, by the id that is stored with the event.
 */
export function lostEvents(
  events: Iterable<PendingEvent>,
  users: Roster,
  formerUsers: ReadonlyMap<string, Profile>,
): LostEvent[] {
  const lost: LostEvent[] = [];
  for (const { event, overwrites, user, originId, accountId } of events) {
    if (!overwrites) continue;
    const isRenamed = overwrites.event !== event;
    const owner = user && users.current(user);
    const isOwn = overwrites.userId === owner?.id || overwrites.userId === originId;
    const former = isOwn ? owner : formerUsers.get(overwrites.userId);
    // The account of an older event is not stored with its key. It is nearly always the present account of its user.
    const formerAccountId = overwrites.accountId ?? former?.accountId ?? null;
    const found = {
      event: overwrites.event,
      userId: former && (former !== owner || isRenamed) && !users.isRemoved(former) ? former.id : null,
      accountId: formerAccountId !== (accountId ?? null) || isRenamed ? formerAccountId : null,
    };
    if (found.userId !== null || found.accountId !== null) lost.push(found);
  }
  return lost;
}
