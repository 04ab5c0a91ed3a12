import type { AttributeTypes } from "@muster/query";
import { LRUCache } from "lru-cache";
import { loadAttributeTypes } from "../../audience/attributes/attribute-definitions.js";
import { type KnownComputations, loadComputed } from "../../audience/computed/known-computed.js";
import { loadEventPlans } from "../../audience/events/known-event-plans.js";
import type { Database } from "../../storage/postgres/database.js";
import type { Revisions } from "../../storage/postgres/definitions/revisions.js";
import { ComputationIndex } from "./computation-index.js";

export interface LoadedComputations extends KnownComputations {
  index: ComputationIndex;
  attributeTypes: AttributeTypes;
}

const MAX_LOADED = 20_000;
/** By the revisions of the computed attributes, the attributes and the names of events. */
const loaded = new LRUCache<string, LoadedComputations>({
  maxSize: MAX_LOADED,
  sizeCalculation: ({ all }) => 1 + all.length,
});

/** The computed attributes of an organization. Undefined, without a statement, when it has none. */
export async function loadComputations(
  database: Database,
  organizationId: string,
  revisions: Revisions | undefined,
): Promise<LoadedComputations | undefined> {
  if (!revisions || revisions.computed === null) return undefined;
  const key = `${revisions.computed} ${revisions.attributes} ${revisions.eventPlans}`;
  const kept = loaded.get(key);
  if (kept) return kept;
  const [known, attributeTypes, plans] = await Promise.all([
    loadComputed(database, organizationId, revisions.computed),
    loadAttributeTypes(database, organizationId, revisions),
    loadEventPlans(database, organizationId, revisions.eventPlans),
  ]);
  const index = new ComputationIndex(known.all, attributeTypes, plans.hasMerges ? plans : undefined);
  const result = { ...known, index, attributeTypes };
  loaded.set(key, result);
  return result;
}
