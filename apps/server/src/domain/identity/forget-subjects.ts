import { type ChangeSet, type MembershipMove, PLATFORM, type StoredEvent } from "../changes/change-set.js";

/**
 * A change without what it holds of the given subjects. That they were erased stays: it names ids only, and a replay
 * needs it.
 */
export function forgetSubjects(change: ChangeSet, ids: ReadonlySet<string>): ChangeSet {
  const { evaluation } = change;
  return {
    ...change,
    users: change.users.filter(({ id }) => !ids.has(id)),
    accounts: change.accounts.filter(({ id }) => !ids.has(id)),
    events: change.events.filter((event) => !isAbout(event, ids)),
    merges: change.merges.filter(({ loser, survivor }) => !ids.has(loser) && !ids.has(survivor)),
    ...(evaluation ? { evaluation: { ...evaluation, moves: evaluation.moves.map((move) => without(move, ids)) } } : {}),
  };
}

/** The ids of everybody a change holds something of. */
export function subjectsOf({ users, accounts, events, merges, evaluation }: ChangeSet): string[] {
  return [
    ...users.map(({ id }) => id),
    ...accounts.map(({ id }) => id),
    ...events.flatMap(({ user_id, origin_id, account_id }) => [user_id, origin_id, account_id ?? ""]),
    ...merges.flatMap(({ loser, survivor }) => [loser, survivor]),
    ...(evaluation?.moves.flatMap(({ entered, left }) => [...entered, ...left]) ?? []),
  ];
}

/** What a user did within an account is the user's; only what the platform notes about the account is the account's. */
function isAbout({ user_id, origin_id, account_id, event_source }: StoredEvent, ids: ReadonlySet<string>): boolean {
  return ids.has(user_id) || ids.has(origin_id) || (event_source === PLATFORM && ids.has(account_id ?? ""));
}

function without({ entered, left, ...move }: MembershipMove, ids: ReadonlySet<string>): MembershipMove {
  return { ...move, entered: entered.filter((id) => !ids.has(id)), left: left.filter((id) => !ids.has(id)) };
}
