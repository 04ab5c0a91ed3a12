import { and, compileQuery, type Query, rowsOf, type Scope, type Target } from "@muster/query";

/**
 * The condition of a query. Where it names somebody, it begins with the few ids that any version of their rows has, found
 * without `final`: merging versions is then left to those, 10 ms instead of 100 to find an e-mail address among 1 M users.
 */
export function conditionOf(query: Query, scope: Scope): string {
  const condition = compileQuery(query, scope);
  const naming = namingClause(query, scope.target);
  if (naming === undefined) return condition;
  const rows = rowsOf(scope.target, { ...scope, dialect: { ...scope.dialect, table: (target) => `${target}s` } });
  return and([`id in (select id from ${rows} and ${compileQuery(naming, scope)})`, condition]);
}

/** Fields whose values few share. */
const NAMING = new Set(["email", "contact_email", "external_id", "anonymous_ids", "username", "phone"]);
const FEW = 1_000;

/** A clause that everything that fits must fit, and few do. */
function namingClause(query: Query, target: Target): Query | undefined {
  if (target === "event") return undefined;
  if (query.kind === "bool") {
    for (const clause of query.must) {
      const naming = namingClause(clause, target);
      if (naming) return naming;
    }
    return undefined;
  }
  const isNaming = query.kind === "terms" && query.field.target === target && NAMING.has(query.field.key);
  return isNaming && query.values.length <= FEW ? query : undefined;
}
