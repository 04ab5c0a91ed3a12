import type { Queryable } from "../database.js";

/** How many entities or comments an organization has. */
export async function countObjects(
  database: Queryable,
  organizationId: string,
  kind: "entity" | "comment",
): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    "select count from object_counts where organization_id = $1 and kind = $2",
    [organizationId, kind],
  );
  return rows[0]?.count ?? 0;
}
