import type { Queryable } from "../database.js";

/**
 * What an organization has defined, as one value each. A revision changes when a definition comes, changes or goes. It is
 * never the same for two states, so what was read at a revision is right wherever that revision is found again.
 */
export interface Revisions {
  attributes: string;
  segments: string;
}

/** Undefined for an organization that does not exist. */
export async function readRevisions(database: Queryable, organizationId: string): Promise<Revisions | undefined> {
  const { rows } = await database.prepared<Revisions>(
    "select attributes_revision as attributes, segments_revision as segments from organizations where id = $1",
    [organizationId],
  );
  return rows[0];
}
