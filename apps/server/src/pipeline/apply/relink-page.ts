import { type AttributeChanges, type ChangeSet, NO_CHANGE } from "../../domain/changes/change-set.js";
import type { Transaction } from "../../storage/postgres/database.js";
import {
  endRelinks,
  nextRelinks,
  type RelinkedUser,
  relinkNextUsers,
  saveRelinkProgress,
  type WaitingRelink,
} from "../../storage/postgres/profiles/account-relinks.js";

import {
  endReturn,
  nextReturn,
  returnNextUsers,
  saveReturnProgress,
} from "../../storage/postgres/profiles/account-returns.js";

// Every stage holds a change in memory and computes parts of it without a pause. Other work waits for one page at most.
export const MAX_RELINKED_USERS = 1_000;
// An account without users costs a round trip. A micro-batch may merge thousands of accounts that have a few users each.
const ACCOUNTS_PER_PAGE = 50;

/** Users who have followed their merged or erased accounts. */
export interface RelinkPage {
  change: ChangeSet;
  /** No other users wait. */
  isLast: boolean;
}

/**
 * Lets the next users of merged and erased accounts follow, as an ordinary change. A merged account is named in the change of
 * its last users: until then the question engine keeps its document, so that the segments of users who have not followed yet
 * stay as they are.
 */
export async function relinkPage(
  tx: Transaction,
  organizationId: string,
  { sequence, maxUsers }: { sequence: number; maxUsers: number },
): Promise<RelinkPage> {
  const waiting = await nextRelinks(tx, organizationId, ACCOUNTS_PER_PAGE + 1);
  if (waiting.length === 0) return returnPage(tx, organizationId, { sequence, maxUsers });
  const taken = alike(waiting.slice(0, ACCOUNTS_PER_PAGE));
  const users: RelinkedUser[] = [];
  const done: WaitingRelink[] = [];
  for (const relink of taken) {
    const limit = maxUsers - users.length;
    const followed = await relinkNextUsers(tx, organizationId, relink, { version: sequence, limit });
    users.push(...followed);
    if (followed.length === limit) {
      await saveRelinkProgress(tx, organizationId, relink.from, followed.at(-1)?.id ?? relink.afterUserId);
      break;
    }
    done.push(relink);
  }
  await endRelinks(
    tx,
    organizationId,
    done.map(({ from }) => from),
    sequence,
  );
  const isQuiet = taken[0]?.isQuiet ?? false;
  const change: ChangeSet = {
    ...NO_CHANGE,
    ...(isQuiet ? { quiet: true } : {}),
    users: users.map((user) => ({ id: user.id, isNew: false, changes: changesOf(user, isQuiet) })),
    merges: done.flatMap(({ from, to }) =>
      to === null ? [] : [{ kind: "account", survivor: to, loser: from, hasEvents: false }],
    ),
  };
  const isLast = done.length === waiting.length && (await nextReturn(tx, organizationId)) === undefined;
  return { change, isLast };
}

function changesOf({ from, to }: RelinkedUser, isQuiet: boolean): AttributeChanges {
  return isQuiet ? {} : { account_id: [from, to] };
}

/** Lets the next users return to an account that was split off. */
async function returnPage(
  tx: Transaction,
  organizationId: string,
  { sequence, maxUsers }: { sequence: number; maxUsers: number },
): Promise<RelinkPage> {
  const next = await nextReturn(tx, organizationId);
  if (!next) return { change: NO_CHANGE, isLast: true };
  const users = await returnNextUsers(tx, organizationId, next, { version: sequence, limit: maxUsers });
  const isDone = users.length < maxUsers;
  if (isDone) await endReturn(tx, organizationId, next.id);
  else await saveReturnProgress(tx, organizationId, next.id, users.at(-1)?.id ?? next.afterUserId);
  const moved = users.filter(({ from, to }) => from !== to);
  const change: ChangeSet = {
    ...NO_CHANGE,
    ...(next.isQuiet ? { quiet: true } : {}),
    users: moved.map((user) => ({ id: user.id, isNew: false, changes: changesOf(user, next.isQuiet) })),
  };
  return { change, isLast: isDone && (await nextReturn(tx, organizationId)) === undefined };
}

/** The first relinks with the same `isQuiet`: a change is quiet as a whole or not at all. */
function alike(relinks: readonly WaitingRelink[]): WaitingRelink[] {
  const end = relinks.findIndex(({ isQuiet }) => isQuiet !== relinks[0]?.isQuiet);
  return end === -1 ? [...relinks] : relinks.slice(0, end);
}
