import { senderOf } from "../domain/apply/name-sender.js";
import { NewNames } from "../domain/apply/new-names.js";
import type { WorkingState } from "../domain/apply/working-state.js";
import type { Entry } from "../domain/entries/entry.js";
import { EventPlans, PlanProblems } from "../domain/events/event-plan.js";

/**
 * The part of a state in memory that says what an organization allows. End users define `perDay` new names, and no event
 * name is planned.
 */
export function endUserRules({
  perDay,
}: {
  perDay: number;
}): Pick<WorkingState, "newNames" | "joinsByHints" | "senderOf" | "eventPlans" | "planProblems"> {
  return {
    newNames: new NewNames({ perOrganization: perDay, perVisitor: perDay }),
    joinsByHints: false,
    senderOf: (entry: Entry) => senderOf(entry, (text) => text),
    eventPlans: new EventPlans([]),
    planProblems: new PlanProblems(),
  };
}
