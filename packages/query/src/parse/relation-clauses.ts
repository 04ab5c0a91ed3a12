import type { HasEventsQuery, Query } from "../query.js";
import { QueryError } from "../query-error.js";
import type { ClauseParser, ParseContext } from "./clause-parser.js";
import { parseField } from "./parse-field.js";
import { countAt, objectAt, oneOf, refuseUnknown, stringAt } from "./reader.js";

/** Options without effect: they tune scoring, or allow what is always allowed here. */
const TUNING = ["score_mode", "score_type", "score", "ignore_unmapped"];

const PARENTS = { user: "user", user_report: "user", account: "account", account_report: "account" } as const;
const PARENT_TYPES = ["user_report", "user", "account_report", "account"] as const;

export const RELATION_CLAUSES = {
  has_child: hasEvents,

  with_child: hasEvents,

  has_parent: (body, path, context) => {
    const input = objectAt(body, path);
    refuseUnknown(input, path, ["parent_type", "type", "query", ...TUNING]);
    const key = "parent_type" in input ? "parent_type" : "type";
    const parent = PARENTS[oneOf(input[key], `${path}.${key}`, PARENT_TYPES)];
    const allowed = context.target === "event" || (context.target === "user" && parent === "account");
    if (!allowed) throw new QueryError(`${path}.${key}`, `a query about ${context.target}s has no parent ${parent}`);
    return { kind: "has_parent", path, parent, query: innerQuery(input.query, path, context, parent) };
  },

  parent_id: (body, path, context) => {
    const input = objectAt(body, path);
    refuseUnknown(input, path, ["type", "id", "ignore_unmapped"]);
    if (context.target !== "event") throw new QueryError(path, "only events have a parent id");
    return {
      kind: "terms",
      path,
      field: parseField("user_id", path, "event"),
      values: [stringAt(input.id, `${path}.id`)],
    };
  },
} satisfies Record<string, ClauseParser>;

function hasEvents(body: unknown, path: string, context: ParseContext): HasEventsQuery {
  const input = objectAt(body, path);
  refuseUnknown(input, path, ["type", "query", "min_children", "max_children", ...TUNING]);
  if (context.target === "event") throw new QueryError(path, "events have no children");
  oneOf(input.type ?? "event", `${path}.type`, ["event"]);
  const min = input.min_children === undefined ? 1 : countAt(input.min_children, `${path}.min_children`);
  const max = input.max_children === undefined ? undefined : countAt(input.max_children, `${path}.max_children`);
  if (max !== undefined && max < min) throw new QueryError(`${path}.max_children`, "expected min_children or more");
  return { kind: "has_events", path, min, max, query: innerQuery(input.query, path, context, "event") };
}

function innerQuery(input: unknown, path: string, context: ParseContext, target: "user" | "account" | "event"): Query {
  if (input === undefined) throw new QueryError(path, "expected a query");
  return context.clause(input, `${path}.query`, target);
}
