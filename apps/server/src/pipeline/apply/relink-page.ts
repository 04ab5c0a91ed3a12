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
  const changesOf = ({ from, to }: RelinkedUser): AttributeChanges => (isQuiet ? {} : { account_id: [from, to] });
  const change: ChangeSet = {
    ...NO_CHANGE,
    ...(isQuiet ? { quiet: true } : {}),
    users: users.map((user) => ({ id: user.id, isNew: false, changes: changesOf(user) })),
    merges: done.flatMap(({ from, to }) =>
      to === null ? [] : [{ kind: "account", survivor: to, loser: from, hasEvents: false }],
    ),
  };
  return { change, isLast: done.length === waiting.length };
}

/** The first ones of which connectors are notified, or of which they are not: a change is all quiet or not at all. */
function alike(relinks: readonly WaitingRelink[]): WaitingRelink[] {
  const end = relinks.findIndex(({ isQuiet }) => isQuiet !== relinks[0]?.isQuiet);
  return end === -1 ? [...relinks] : relinks.slice(0, end);
}
