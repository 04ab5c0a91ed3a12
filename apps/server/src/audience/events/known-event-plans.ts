import { LRUCache } from "lru-cache";
import { EventPlans } from "../../domain/events/event-plan.js";
import type { Queryable } from "../../storage/postgres/database.js";
import { readEventPlans, readPlansRevision } from "../../storage/postgres/definitions/event-plans.js";

const MAX_ORGANIZATIONS = 500;
/** The plans of organizations, by their revision. */
const remembered = new LRUCache<string, EventPlans>({ max: MAX_ORGANIZATIONS });

/** The plans of an organization's events. Reads them only when the revision has changed since the last call. */
export async function loadEventPlans(
  database: Queryable,
  organizationId: string,
  revision: string,
): Promise<EventPlans> {
  const kept = remembered.get(revision);
  if (kept) return kept;
  const { revision: present, plans } = await readEventPlans(database, organizationId);
  const loaded = new EventPlans(plans);
  if (present !== undefined) remembered.set(present, loaded);
  return loaded;
}

/** The plans of an organization's events as they are now. */
export async function loadPresentEventPlans(database: Queryable, organizationId: string): Promise<EventPlans> {
  const revision = await readPlansRevision(database, organizationId);
  return revision === undefined ? new EventPlans([]) : loadEventPlans(database, organizationId, revision);
}
