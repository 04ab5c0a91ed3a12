import type { Queryable } from "../database.js";

/**
 * What an organization has defined, as one value each. A revision changes when a definition comes, changes or goes. Two
 * states never have the same revision, so a cached value is valid as long as the revision is the same.
 */
export interface Revisions {
  attributes: string;
  segments: string;
  eventPlans: string;
  /** Null: the organization has no computed attributes. */
  computed: string | null;
}

/** Undefined for an organization that does not exist. */
export async function readRevisions(database: Queryable, organizationId: string): Promise<Revisions | undefined> {
  const { rows } = await database.prepared<Revisions>(
    `select attributes_revision as attributes, segments_revision as segments, event_plans_revision as "eventPlans",
       computed_revision as computed
     from organizations
     where id = $1`,
    [organizationId],
  );
  return rows[0];
}
