import type { Catalog } from "@muster/query";
import { bareName } from "../../../domain/attributes/standard-fields.js";
import type { Queryable } from "../database.js";
import { loadAttributes } from "./attribute-definitions.js";

/** The types of an organization's attributes, as the query language asks for them. */
export async function loadCatalog(database: Queryable, organizationId: string): Promise<Catalog> {
  const unlimited = Number.POSITIVE_INFINITY;
  const [user, account] = await Promise.all([
    loadAttributes(database, organizationId, "user", unlimited),
    loadAttributes(database, organizationId, "account", unlimited),
  ]);
  const definitions = { user, account };
  return { typeOf: (entity, key) => definitions[entity].get(bareName(entity, key))?.type };
}
