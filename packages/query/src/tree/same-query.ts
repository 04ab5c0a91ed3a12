import type { BoolQuery, Query } from "../query.js";

/**
 * Whether two queries select the same by their form: the order of clauses and of values, short forms and brackets around
 * a single clause do not count. Queries that only happen to select the same subjects are different.
 */
export function isSameQuery(one: Query, other: Query): boolean {
  return canonical(one) === canonical(other);
}

/** A text that is the same for all forms of a query. */
function canonical(query: Query): string {
  switch (query.kind) {
    case "bool":
      return canonicalBool(query);
    case "terms": {
      const { path: _place, values, ...rest } = query;
      return sorted({ ...rest, values: [...new Set(values.map((value) => JSON.stringify(value)))].sort() });
    }
    case "has_events":
    case "has_parent": {
      const { path: _place, query: inner, ...rest } = query;
      return sorted({ ...rest, query: canonical(inner) });
    }
    default: {
      const { path: _place, ...rest } = query;
      return sorted(rest);
    }
  }
}

function canonicalBool(query: BoolQuery): string {
  const { should, mustNot, minimum } = query;
  const all = unique(requiredOf(query).flatMap(conjunctsOf));
  const some = minimum > 0 && !isForced(query) ? unique(should) : [];
  const none = unique(mustNot);
  const [only] = all;
  if (some.length === 0 && none.length === 0) {
    if (only === undefined) return sorted({ kind: "all" });
    if (all.length === 1) return only;
  }
  return sorted({ kind: "bool", all, some, minimum: some.length === 0 ? 0 : minimum, none });
}

/** Whether so many clauses of `should` must hold that all of them are required. */
function isForced({ should, minimum }: BoolQuery): boolean {
  return minimum > 0 && minimum === should.length;
}

function requiredOf(query: BoolQuery): readonly Query[] {
  return isForced(query) ? [...query.must, ...query.should] : query.must;
}

/** The clauses of which all must hold for a query to hold: those of a conjunction, and of the conjunctions in it. */
function conjunctsOf(query: Query): Query[] {
  if (query.kind === "all") return [];
  if (query.kind !== "bool" || query.mustNot.length > 0) return [query];
  return query.minimum > 0 && !isForced(query) ? [query] : requiredOf(query).flatMap(conjunctsOf);
}

function unique(queries: readonly Query[]): string[] {
  return [...new Set(queries.map(canonical))].sort();
}

/** JSON whose keys are in order. */
function sorted(value: object): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
