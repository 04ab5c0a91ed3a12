import { and, compileQuery, type Entity, type Query, rowsOf, type Scope } from "@muster/query";

/**
 * The condition of a query. Where it names somebody, it begins with the few ids that any version of their rows has, found
 * without `final`: merging versions is then left to those, 10 ms instead of 100 to find an e-mail address among 1 M users.
 */
export function conditionOf(query: Query, scope: Scope): string {
  const condition = compileQuery(query, scope);
  const naming = namingClause(query, scope.entity);
  if (naming === undefined) return condition;
  const rows = rowsOf(scope.entity, { ...scope, dialect: { ...scope.dialect, table: (entity) => `${entity}s` } });
  return and([`id in (select id from ${rows} and ${compileQuery(naming, scope)})`, condition]);
}

/** Fields whose values few share. */
const NAMING = new Set(["email", "contact_email", "external_id", "anonymous_ids", "username", "phone"]);
const FEW = 1_000;

/** A clause that everything that fits must fit, and few do. */
function namingClause(query: Query, entity: Entity): Query | undefined {
  if (entity === "event") return undefined;
  if (query.kind === "bool") {
    for (const clause of query.must) {
      const naming = namingClause(clause, entity);
      if (naming) return naming;
    }
    return undefined;
  }
  const isNaming = query.kind === "terms" && query.field.entity === entity && NAMING.has(query.field.key);
  return isNaming && query.values.length <= FEW ? query : undefined;
}
