import type { AttributeType } from "../../domain/attributes/attribute-definitions.js";
import type { Queryable } from "../../storage/postgres/database.js";
import { readEventDefinitions } from "../../storage/postgres/definitions/event-definitions.js";
import { loadPresentEventPlans } from "../events/known-event-plans.js";

const ATTRIBUTE_TYPES: Readonly<Record<string, AttributeType>> = {
  number: "numeric",
  string: "string",
  date: "date",
  boolean: "boolean",
  array: "array",
  json: "json",
};

/**
 * The type that a property of events had when it first occurred. Undefined when it has not occurred, and for a property within
 * another one, whose type nothing notes.
 */
export async function propertyType(
  database: Queryable,
  organizationId: string,
  { event, property }: { event: string; property: string },
): Promise<AttributeType | undefined> {
  const plans = await loadPresentEventPlans(database, organizationId);
  const names = plans.namesUnder(plans.currentName(event));
  const definitions = await readEventDefinitions(database, organizationId, names);
  const types = names
    .flatMap((name) => definitions.filter((definition) => definition.name === name))
    .flatMap(({ properties }) => (Object.hasOwn(properties, property) ? [properties[property] ?? ""] : []));
  return ATTRIBUTE_TYPES[types[0] ?? ""];
}
