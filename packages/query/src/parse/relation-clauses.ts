import type { HasEventsQuery, Query } from "../query.js";
import { QueryError } from "../query-error.js";
import { CLAUSE_OPTIONS, type ClauseName } from "./clause-options.js";
import type { ClauseParser, ParseContext } from "./clause-parser.js";
import { parseField } from "./parse-field.js";
import { countAt, objectAt, oneOf, refuseOthers, stringAt } from "./reader.js";

const PARENTS = { user: "user", user_report: "user", account: "account", account_report: "account" } as const;
const PARENT_TYPES = ["user_report", "user", "account_report", "account"] as const;

export const RELATION_CLAUSES = {
  has_child: hasEvents,

  with_child: hasEvents,

  has_parent: (body, path, context) => {
    const input = objectAt(body, path);
    refuseOthers(input, path, CLAUSE_OPTIONS.has_parent);
    const key = "parent_type" in input ? "parent_type" : "type";
    const parent = PARENTS[oneOf(input[key], `${path}.${key}`, PARENT_TYPES)];
    const allowed = context.target === "event" || (context.target === "user" && parent === "account");
    if (!allowed) throw new QueryError(`${path}.${key}`, `a query about ${context.target}s has no parent ${parent}`);
    return { kind: "has_parent", path, parent, query: innerQuery(input.query, path, context, parent) };
  },

  parent_id: (body, path, context) => {
    const input = objectAt(body, path);
    refuseOthers(input, path, CLAUSE_OPTIONS.parent_id);
    if (context.target !== "event") throw new QueryError(path, "only events have a parent id");
    return {
      kind: "terms",
      path,
      field: parseField("user_id", path, "event"),
      values: [stringAt(input.id, `${path}.id`)],
    };
  },
} satisfies Partial<Record<ClauseName, ClauseParser>>;

function hasEvents(body: unknown, path: string, context: ParseContext): HasEventsQuery {
  const input = objectAt(body, path);
  refuseOthers(input, path, CLAUSE_OPTIONS.has_child);
  if (context.target === "event") throw new QueryError(path, "events have no children");
  oneOf(input.type ?? "event", `${path}.type`, ["event"]);
  const min = input.min_children === undefined ? 1 : countAt(input.min_children, `${path}.min_children`);
  const max = input.max_children === undefined ? undefined : countAt(input.max_children, `${path}.max_children`);
  if (max !== undefined && max < min) throw new QueryError(`${path}.max_children`, "expected min_children or more");
  const query = innerQuery(input.query, path, context, "event");
  return { kind: "has_events", path, min, max, query };
}

function innerQuery(input: unknown, path: string, context: ParseContext, target: "user" | "account" | "event"): Query {
  if (input === undefined) throw new QueryError(path, "expected a query");
  return context.clause(input, `${path}.query`, target);
}
