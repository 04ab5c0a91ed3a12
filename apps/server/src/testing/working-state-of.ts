import { senderOf } from "../domain/apply/name-sender.js";
import { NewNames } from "../domain/apply/new-names.js";
import type { WorkingState } from "../domain/apply/working-state.js";
import { AttributeDefinitions } from "../domain/attributes/attribute-definitions.js";
import { PastErasures } from "../domain/erasure/past-erasures.js";
import { EventPlans, PlanProblems } from "../domain/events/event-plan.js";
import type { Roster } from "../domain/identity/roster.js";

export interface Loaded extends Partial<WorkingState> {
  users: Roster;
  accounts: Roster;
  /** How many new names end users may define. */
  namesPerDay: number;
}

/** A state in memory with the subjects that are given. Everything else is that of an organization without any records. */
export function workingStateOf({ namesPerDay, ...given }: Loaded): WorkingState {
  return {
    userAttributes: new AttributeDefinitions([], 100),
    accountAttributes: new AttributeDefinitions([], 100),
    knownEvents: new Map(),
    erasures: new PastErasures({ hash: (text) => text, known: new Map(), receivedAt: () => 0 }),
    maxValueBytes: 1_000,
    newNames: new NewNames({ perOrganization: namesPerDay, perVisitor: namesPerDay }),
    joinsByHints: false,
    senderOf: (entry) => senderOf(entry, (text) => text),
    eventPlans: new EventPlans([]),
    planProblems: new PlanProblems(),
    locate: () => undefined,
    readUserAgent: () => ({}),
    ...given,
  };
}
