import type { SubjectType } from "@muster/protocol";
import { type AttributeTypes, attributeName, reportKey } from "@muster/query";
import { AttributeDefinitions } from "../domain/attributes/attribute-definitions.js";
import type { Queryable } from "../storage/postgres/database.js";
import {
  readAttributeDefinitions,
  readHiddenAttributes,
} from "../storage/postgres/definitions/attribute-definitions.js";

/** The attributes of an organization's users or accounts. No more than `limit` of them can be defined. */
export async function loadAttributes(
  database: Queryable,
  organizationId: string,
  subjectType: SubjectType,
  limit: number,
): Promise<AttributeDefinitions> {
  return new AttributeDefinitions(await readAttributeDefinitions(database, organizationId, subjectType), limit);
}

/** The types of an organization's attributes, as the query language asks for them. */
export async function loadAttributeTypes(database: Queryable, organizationId: string): Promise<AttributeTypes> {
  const typesOf = async (subjectType: SubjectType) =>
    new Map(
      (await readAttributeDefinitions(database, organizationId, subjectType)).map(({ name, type }) => [name, type]),
    );
  const [user, account] = await Promise.all([typesOf("user"), typesOf("account")]);
  const types = { user, account };
  return { typeOf: (subjectType, key) => types[subjectType].get(attributeName(subjectType, key)) };
}

/** The report keys of attributes that are not to be shown. */
export async function hiddenKeys(
  database: Queryable,
  organizationId: string,
  subjectType: SubjectType,
): Promise<string[]> {
  const names = await readHiddenAttributes(database, organizationId, subjectType);
  return names.map((name) => reportKey(subjectType, name));
}
