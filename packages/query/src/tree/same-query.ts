import { type BoolQuery, not, type Query } from "../query.js";

/**
 * Whether two queries select the same by their form: the order of clauses and of values, short forms and brackets around
 * a single clause do not count. Queries that only happen to select the same subjects are different.
 */
export function isSameQuery(one: Query, other: Query): boolean {
  return canonical(one) === canonical(other);
}

/** The conditions that only the second of two queries has, and those that only the first has. */
export function changedClauses(before: Query, after: Query): { added: Query[]; removed: Query[] } {
  const [old, present] = [conditionsOf(before), conditionsOf(after)];
  return {
    added: [...present].filter(([text]) => !old.has(text)).map(([, query]) => query),
    removed: [...old].filter(([text]) => !present.has(text)).map(([, query]) => query),
  };
}

function conditionsOf(query: Query): Map<string, Query> {
  return new Map(conjunctsOf(query).map((clause) => [canonicalClause(clause), clause]));
}

/** A text that is the same for all forms of a query. */
function canonical(query: Query): string {
  const all = unique(conjunctsOf(query).map(canonicalClause));
  const [only] = all;
  if (only === undefined) return sorted({ kind: "all" });
  return all.length === 1 ? only : sorted({ kind: "bool", all });
}

/** The clauses of which all must hold for a query to hold: those of a conjunction, and of the conjunctions in it. */
function conjunctsOf(query: Query): Query[] {
  if (query.kind === "all") return [];
  if (query.kind !== "bool") return [query];
  const { path, must, should, mustNot, minimum } = query;
  // All clauses of `should` are required when so many of them must hold.
  const isForced = minimum > 0 && minimum === should.length;
  const some: BoolQuery = { kind: "bool", path, must: [], should, mustNot: [], minimum };
  return [
    ...[...must, ...(isForced ? should : [])].flatMap(conjunctsOf),
    ...mustNot.map((inner) => not(path, inner)),
    ...(minimum > 0 && !isForced ? [some] : []),
  ];
}

/** The text of a clause that is no conjunction of others. */
function canonicalClause(query: Query): string {
  switch (query.kind) {
    case "bool": {
      const { should, mustNot, minimum } = query;
      if (mustNot.length > 0) return sorted({ kind: "not", of: mustNot.map(canonical) });
      return sorted({ kind: "some", minimum, of: unique(should.map(canonical)) });
    }
    case "terms": {
      const { path: _place, values, ...rest } = query;
      return sorted({ ...rest, values: unique(values.map((value) => JSON.stringify(value))) });
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

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}

/** JSON whose keys are in order. */
function sorted(value: object): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
}
