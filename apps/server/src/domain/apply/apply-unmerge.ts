import type { Entry } from "../entries/entry.js";
import type { Roster } from "../identity/roster.js";
import type { SplitChoices } from "../identity/split-choices.js";
import type { Profile } from "../profiles/profile.js";
import type { WorkingState } from "./working-state.js";

/** The body of an entry that undoes a merge. The API has checked it. */
export interface UnmergeBody {
  merged_id: string;
  never_again: boolean;
  choices?: SplitChoices;
}

/** Undoes a merge. Returns a sentence when that is not possible. */
export function applyUnmerge(
  subject: Profile,
  { body }: Entry,
  roster: Roster,
  { accounts }: Pick<WorkingState, "accounts">,
): string | undefined {
  const { merged_id: mergedId, never_again: isNeverAgain, choices = {} } = body as unknown as UnmergeBody;
  const done = roster.unmerge(subject, mergedId, choices, isNeverAgain);
  if (typeof done === "string") return done;
  if (roster.subjectType === "account") return undefined;
  for (const user of [done.survivor, done.restored]) followAccount(user, accounts);
  return undefined;
}

/** The account of a half is the one that its records named. It may have been merged or erased since. */
function followAccount(user: Profile, accounts: Roster): void {
  const origin = user.accountOrigin ?? user.accountId;
  if (origin === undefined) return;
  user.accountId = accounts.find(origin)?.id;
  user.accountOrigin = user.accountId === undefined || user.accountId === origin ? undefined : origin;
}
