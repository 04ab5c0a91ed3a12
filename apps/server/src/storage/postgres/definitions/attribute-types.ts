import { type AttributeTypes, attributeName } from "@muster/query";
import type { Queryable } from "../database.js";
import { loadAttributes } from "./attribute-definitions.js";

/** The types of an organization's attributes, as the query language asks for them. */
export async function loadAttributeTypes(database: Queryable, organizationId: string): Promise<AttributeTypes> {
  const unlimited = Number.POSITIVE_INFINITY;
  const [user, account] = await Promise.all([
    loadAttributes(database, organizationId, "user", unlimited),
    loadAttributes(database, organizationId, "account", unlimited),
  ]);
  const definitions = { user, account };
  return { typeOf: (subjectType, key) => definitions[subjectType].get(attributeName(subjectType, key))?.type };
}
