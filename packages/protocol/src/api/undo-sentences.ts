import type { UndoResult } from "./reverts.js";

type Counted = Exclude<keyof UndoResult, "dry_run" | "merges" | "samples" | "known_since">;

/** What each number says, for one and for many. They hold for what was done and for what would be done. */
const SENTENCES: Record<Counted, [one: string, many: string]> = {
  returned: ["value returns to what it was", "values return to what they were"],
  unset: ["attribute that had no value before is unset", "attributes that had no value before are unset"],
  stayed: ["value was written by others since, and stays", "values were written by others since, and stay"],
  subjects_removed: [
    "user or account that existed only because of it is removed",
    "users and accounts that existed only because of it are removed",
  ],
  subjects_stayed: [
    "user or account that it created is used by others since, and stays",
    "users and accounts that it created are used by others since, and stay",
  ],
  subjects_restored: ["user or account that was removed comes back", "users and accounts that were removed come back"],
  identifiers_removed: [
    "identifier is taken off a known user or account",
    "identifiers are taken off known users or accounts",
  ],
  identifiers_stayed: [
    "identifier stays, because its user or account was written by others since",
    "identifiers stay, because their users or accounts were written by others since",
  ],
  links_returned: ["user gets back its former account", "users get back their former accounts"],
  events_removed: ["event is removed", "events are removed"],
  events_stayed: [
    "event was overwritten by others since, and stays",
    "events were overwritten by others since, and stay",
  ],
  events_restored: ["event that was removed comes back", "events that were removed come back"],
};

/** What an undo does, in sentences. `result` is that of its job. */
export function undoSentences(result: Partial<UndoResult>): string[] {
  const counted = Object.entries(SENTENCES).flatMap(([key, words]) => sentence(result[key as Counted] ?? 0, words));
  const merges = sentence(result.merges?.total ?? 0, [
    "merge that it caused stays, unless it is undone on the page of the user or account",
    "merges that it caused stay, unless they are undone on the pages of the users and accounts",
  ]);
  const since = result.known_since ? [`What was written before ${result.known_since} was not noted, and stays.`] : [];
  const all = [...counted, ...merges, ...since];
  return all.length > 0 ? all : ["There is nothing to undo."];
}

function sentence(count: number, [one, many]: [string, string]): string[] {
  return count === 0 ? [] : [`${count.toLocaleString("en")} ${count === 1 ? one : many}.`];
}
