import { MUSTER_SOURCE } from "@muster/protocol";
import type { ChangeSet, LostEvent, SegmentMoves } from "../changes/change-set.js";
import type { StoredEvent } from "../events/stored-event.js";
import { decidedOrigin } from "../events/undecided-origin.js";
import { notesWithout, subjectsNoted } from "../undo/undo-notes.js";

const NOBODY: ReadonlySet<string> = new Set();

/**
 * Returns a change without the data of the given subjects. `removed`, which says that they were erased, stays: it
 * contains ids only, and a replay needs it. Events that came from users in `living` stay: these users were merged into an
 * erased one at that time, and were split off again.
 */
export function forgetSubjects(
  change: ChangeSet,
  ids: ReadonlySet<string>,
  living: ReadonlySet<string> = NOBODY,
): ChangeSet {
  const { evaluation, lost, left, unmerges, undo, ...rest } = change;
  const notes = undo && notesWithout(undo, ids);
  return {
    ...rest,
    users: change.users.filter(({ id }) => !ids.has(id)),
    accounts: change.accounts.filter(({ id }) => !ids.has(id)),
    events: change.events.filter((event) => living.has(decidedOrigin(event.origin_id)) || !isAbout(event, ids)),
    merges: change.merges.filter(({ loser, survivor }) => !ids.has(loser) && !ids.has(survivor)),
    ...(left ? { left: left.filter((id) => !ids.has(id)) } : {}),
    ...(unmerges ? { unmerges: unmerges.filter(({ restored }) => !ids.has(restored)) } : {}),
    ...(notes ? { undo: notes } : {}),
    ...(lost ? { lost: lost.map((event) => lostWithout(event, ids)) } : {}),
    ...(evaluation ? { evaluation: { ...evaluation, moves: evaluation.moves.map((move) => without(move, ids)) } } : {}),
  };
}

/** The users that events of the given subjects came from, and that may have been split off since. */
export function originsElsewhere({ events }: ChangeSet, ids: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  for (const { user_id, origin_id } of events) {
    const origin = decidedOrigin(origin_id);
    if (ids.has(user_id) && origin !== user_id && !ids.has(origin)) found.add(origin);
  }
  return [...found];
}

/** The ids of all subjects that a change contains data of. */
export function subjectsOf(change: ChangeSet): string[] {
  const { users, accounts, events, lost, left, merges, unmerges, evaluation, undo } = change;
  return [
    ...users.map(({ id }) => id),
    ...accounts.map(({ id }) => id),
    ...events.flatMap(({ user_id, origin_id, account_id }) => [user_id, origin_id, account_id ?? ""]),
    ...(lost?.flatMap(({ userId, accountId }) => [userId ?? "", accountId ?? ""]) ?? []),
    ...(left ?? []),
    ...merges.flatMap(({ loser, survivor }) => [loser, survivor]),
    ...(unmerges?.flatMap(({ restored, survivor }) => [restored, survivor]) ?? []),
    ...(undo ? subjectsNoted(undo) : []),
    ...(evaluation?.moves.flatMap(({ entered, left }) => [...entered, ...left]) ?? []),
  ];
}

/** An event within an account belongs to its user. Only Muster's own events about an account belong to the account. */
function isAbout({ user_id, origin_id, account_id, event_source }: StoredEvent, ids: ReadonlySet<string>): boolean {
  return ids.has(user_id) || ids.has(origin_id) || (event_source === MUSTER_SOURCE && ids.has(account_id ?? ""));
}

function without({ entered, left, ...move }: SegmentMoves, ids: ReadonlySet<string>): SegmentMoves {
  return { ...move, entered: entered.filter((id) => !ids.has(id)), left: left.filter((id) => !ids.has(id)) };
}

function lostWithout({ userId, accountId, event }: LostEvent, ids: ReadonlySet<string>): LostEvent {
  const unlessErased = (id: string | null) => (id !== null && ids.has(id) ? null : id);
  return { event, userId: unlessErased(userId), accountId: unlessErased(accountId) };
}
