import { senderOf } from "../domain/apply/name-sender.js";
import { NewNames } from "../domain/apply/new-names.js";
import type { WorkingState } from "../domain/apply/working-state.js";
import type { Entry } from "../domain/entries/entry.js";

/** The part of a state in memory that is about end users. They define `perDay` new names. */
export function endUserRules({
  perDay,
}: {
  perDay: number;
}): Pick<WorkingState, "newNames" | "joinsByHints" | "senderOf"> {
  return {
    newNames: new NewNames({ perOrganization: perDay, perVisitor: perDay }),
    joinsByHints: false,
    senderOf: (entry: Entry) => senderOf(entry, (text) => text),
  };
}
