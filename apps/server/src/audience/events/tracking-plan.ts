import { isDeepStrictEqual } from "node:util";
import { Refusal } from "@muster/protocol";
import type { EventPlanChange, EventPlan as EventPlanRecord } from "@muster/protocol/api/events";
import type { EventPlans } from "../../domain/events/event-plan.js";
import type { Database } from "../../storage/postgres/database.js";
import {
  type EventPlanProblemRow,
  type EventPlanRow,
  findEventPlan,
  readPlanProblems,
  saveEventPlan,
} from "../../storage/postgres/definitions/event-plans.js";
import { loadPresentEventPlans } from "./known-event-plans.js";

// The pipeline holds all plans of an organization in memory.
const MAX_PLANS = 2_000;

const NO_PLAN = { description: "", owner: "", properties: null, refuses: false, hidden: false };

/** What an organization has decided about its event names: their meaning, and the properties that their events must have. */
export class TrackingPlan {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  /** The plan of a name. A name without one has an empty plan. */
  async read(organizationId: string, event: string): Promise<EventPlanRecord> {
    const plan = await findEventPlan(this.#database, organizationId, event);
    const [problems, plans] = await Promise.all([
      plan ? readPlanProblems(this.#database, organizationId, event) : [],
      loadPresentEventPlans(this.#database, organizationId),
    ]);
    return planRecord(event, plan, problems, plans);
  }

  /** Changes the plan of a name; what is left out stays as it is. */
  async put(
    organizationId: string,
    { event, refuse, properties, ...change }: EventPlanChange,
  ): Promise<EventPlanRecord> {
    requireOwnNames(properties ?? []);
    if (event.includes("\0")) throw new Refusal("invalid_parameter", "The name of an event has no NUL character.");
    const current = await findEventPlan(this.#database, organizationId, event);
    const planned = properties?.map((property) => ({ required: false, description: "", ...property })) ?? null;
    const plan = {
      ...NO_PLAN,
      ...current,
      ...change,
      ...(properties === undefined ? {} : { properties: planned }),
      name: event,
    };
    const next = { ...plan, refuses: refuse ?? plan.refuses };
    if (next.refuses && next.properties === null) {
      throw new Refusal("invalid_parameter", "Say which properties the events have before others are refused.");
    }
    const forgetsProblems = !isDeepStrictEqual(next.properties, current?.properties ?? null);
    const saved = await saveEventPlan(this.#database, organizationId, next, { limit: MAX_PLANS, forgetsProblems });
    if (!saved) throw new Refusal("conflict", `An organization plans at most ${MAX_PLANS} event names.`);
    return this.read(organizationId, event);
  }
}

function requireOwnNames(properties: readonly { name: string }[]): void {
  const names = new Set<string>();
  for (const { name } of properties) {
    if (names.has(name)) throw new Refusal("invalid_parameter", `The property "${name}" is in the plan twice.`);
    names.add(name);
  }
}

function planRecord(
  event: string,
  plan: EventPlanRow | undefined,
  problems: readonly EventPlanProblemRow[],
  plans: EventPlans,
): EventPlanRecord {
  const { description, owner, properties, refuses, hidden } = plan ?? NO_PLAN;
  return {
    event,
    description,
    owner,
    hidden,
    refuse: refuses,
    properties,
    merged_into: plan?.mergedInto ? plans.currentName(event) : null,
    can_be_separated: plan?.mergedInto ? plan.keepsSentNames : false,
    merged_from: plans.namesUnder(event).filter((name) => name !== event),
    problems: problems.map(({ firstAt, lastAt, ...problem }) => ({
      ...problem,
      first_at: firstAt.toISOString(),
      last_at: lastAt.toISOString(),
    })),
    updated_at: plan?.updatedAt.toISOString() ?? null,
  };
}
