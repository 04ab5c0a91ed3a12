import type { Queryable } from "./database.js";

/** Those of the given subjects that were erased. */
export async function findErased(
  database: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await database.query<{ id: string }>(
    "select id from erased where organization_id = $1 and id = any($2::text[])",
    [organizationId, [...new Set(ids)]],
  );
  return new Set(rows.map(({ id }) => id));
}
