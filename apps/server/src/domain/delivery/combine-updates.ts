import type { AttributeChanges } from "../changes/change-set.js";
import { addChanges, addMove } from "../changes/news.js";
import type { StoredSegmentChanges, StoredUpdate, UserAccount } from "./message.js";

/**
 * One message instead of several about the same user or account, which come in their order: the latest state, the changes
 * from the first value to the last, and all events. It has the id of the last message, so that a message of more parts
 * is not taken for one that was sent before.
 */
export function combineUpdates(first: StoredUpdate, ...later: StoredUpdate[]): StoredUpdate {
  const parts = [first, ...later];
  const last = parts.at(-1) ?? first;
  const accounts = parts.flatMap(({ account }) => account ?? []);
  const movedAt = parts.findLast(({ changes }) => changes.moved_at !== undefined)?.changes.moved_at;
  const { events: _events, account: _account, ...latest } = last;
  return {
    ...latest,
    changes: {
      is_new: parts.some(({ changes }) => changes.is_new),
      attributes: combineChanges(parts.map(({ changes }) => changes.attributes)),
      segments: combineMoves(parts.map(({ changes }) => changes.segments)),
      ...(movedAt === undefined ? {} : { moved_at: movedAt }),
    },
    ...(first.events ? { events: parts.flatMap(({ events = [] }) => events) } : {}),
    ...(accounts.length > 0 ? { account: combineAccounts(accounts, last.account) } : {}),
  };
}

/** `latest` is the account at the end: undefined when the user had none then, and nothing changed about it. */
function combineAccounts(accounts: readonly UserAccount[], latest: UserAccount | undefined): UserAccount {
  return {
    entity: latest?.entity ?? {},
    segment_ids: latest?.segment_ids ?? [],
    attributes: combineChanges(accounts.map(({ attributes }) => attributes)),
    segments: combineMoves(accounts.map(({ segments }) => segments)),
  };
}

function combineChanges(all: readonly AttributeChanges[]): AttributeChanges {
  const combined: AttributeChanges = {};
  for (const changes of all) addChanges(combined, changes);
  return combined;
}

function combineMoves(all: readonly StoredSegmentChanges[]): StoredSegmentChanges {
  const combined: StoredSegmentChanges = { entered: [], left: [] };
  for (const { entered, left } of all) {
    for (const id of entered) addMove(combined, id, "entered");
    for (const id of left) addMove(combined, id, "left");
  }
  return combined;
}
