import type { EventPlans } from "../../domain/events/event-plan.js";
import type { Database } from "../../storage/postgres/database.js";
import type { Questions } from "../../storage/questions/questions.js";
import { loadPresentEventPlans } from "./known-event-plans.js";

/** The methods of the port whose questions may name events. */
const ASKING = [
  ...["page", "count", "aggregate", "explain", "changesOf", "changesOfSegments", "answer"],
  ...["trend", "funnel", "retention", "insightUsers", "writeJsonLines", "writeCsvLines", "writeParquet"],
  ...["aggregateEvents", "aggregateUsers", "idsAfter"],
] as (keyof Questions)[];

/**
 * A question engine that also knows events by the names that were merged into others. So segments, saved insights and
 * callers that ask for an old name find the same events as before, and ask for their own again when the merge is undone.
 */
export function underCurrentNames(database: Database, questions: Questions): Questions {
  const asking = ASKING.map((method) => {
    const ask = questions[method] as (organizationId: string, ...rest: unknown[]) => unknown;
    return [
      method,
      async (organizationId: string, ...rest: unknown[]) => {
        const plans = await loadPresentEventPlans(database, organizationId);
        return ask(organizationId, ...(plans.hasMerges ? (renamed(rest, plans) as unknown[]) : rest));
      },
    ];
  });
  return { ...questions, ...(Object.fromEntries(asking) as Partial<Questions>) };
}

/** The same data with the current names of events in all trees of queries. What names none is the same object. */
function renamed(given: unknown, plans: EventPlans): unknown {
  if (Array.isArray(given)) {
    const items = (given as unknown[]).map((item) => renamed(item, plans));
    return items.some((item, index) => item !== given[index]) ? items : given;
  }
  if (!isPlain(given)) return given;
  if (isEventTest(given))
    return { ...given, values: [...new Set(given.values.map((name) => plans.currentName(name)))] };
  const entries = Object.entries(given).map(([key, value]) => [key, renamed(value, plans)] as const);
  return entries.some(([key, value]) => value !== given[key]) ? Object.fromEntries(entries) : given;
}

/** Neither a signal, nor a date, nor the types of attributes. */
function isPlain(given: unknown): given is Record<string, unknown> {
  return typeof given === "object" && given !== null && Object.getPrototypeOf(given) === Object.prototype;
}

function isEventTest(node: Record<string, unknown>): node is { values: string[] } {
  const { kind, field } = node;
  return kind === "terms" && isPlain(field) && field.target === "event" && field.key === "event";
}
