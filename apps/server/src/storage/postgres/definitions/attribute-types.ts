import type { AttributeTypes } from "@muster/query";
import { bareName } from "../../../domain/attributes/standard-fields.js";
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
  return { typeOf: (subjectType, key) => definitions[subjectType].get(bareName(subjectType, key))?.type };
}
