import { and, compileQuery, type Query, rowsOf, type Scope, type Target } from "@muster/query";

/**
 * The condition of a query. If it requires a value that few subjects have, such as an e-mail address, it starts with the
 * ids of all row versions with that value, which are found without `final`. Then only the versions of those rows are
 * merged: finding an e-mail address among 1 M users takes 10 ms instead of 100.
 */
export function conditionOf(query: Query, scope: Scope): string {
  const condition = compileQuery(query, scope);
  const identifying = identifyingClause(query, scope.target);
  if (identifying === undefined) return condition;
  const rows = rowsOf(scope.target, { ...scope, dialect: { ...scope.dialect, table: (target) => `${target}s` } });
  return and([`id in (select id from ${rows} and ${compileQuery(identifying, scope)})`, condition]);
}

/** Fields whose values are shared by few subjects. */
const IDENTIFYING_FIELDS = new Set(["email", "contact_email", "external_id", "anonymous_ids", "username", "phone"]);
const MAX_VALUES = 1_000;

/** A clause that every selected row must match, and that few rows match. */
function identifyingClause(query: Query, target: Target): Query | undefined {
  if (target === "event") return undefined;
  if (query.kind === "bool") {
    for (const clause of query.must) {
      const identifying = identifyingClause(clause, target);
      if (identifying) return identifying;
    }
    return undefined;
  }
  const isIdentifying =
    query.kind === "terms" && query.field.target === target && IDENTIFYING_FIELDS.has(query.field.key);
  return isIdentifying && query.values.length <= MAX_VALUES ? query : undefined;
}
