import type { SubjectType } from "@muster/protocol";
import { type AttributeTypes, attributeName, reportKey } from "@muster/query";
import { LRUCache } from "lru-cache";
import { type AttributeDefinition, AttributeDefinitions } from "../../domain/attributes/attribute-definitions.js";
import type { Queryable } from "../../storage/postgres/database.js";
import { readAttributeDefinitions } from "../../storage/postgres/definitions/attribute-definitions.js";
import { type Revisions, readRevisions } from "../../storage/postgres/definitions/revisions.js";

type Definitions = Readonly<Record<SubjectType, readonly AttributeDefinition[]>>;

// About a hundred bytes each.
const MAX_REMEMBERED = 200_000;
/** The definitions of organizations, by their revision. */
const remembered = new LRUCache<string, Definitions>({
  maxSize: MAX_REMEMBERED,
  sizeCalculation: ({ user, account }) => 1 + user.length + account.length,
});

/**
 * The current definitions. Reads them when they have changed since the last call; otherwise reads only the revision, unless
 * the caller passes it. A transaction must not call this after it has written definitions, because its commit changes the
 * revision.
 */
async function loadDefinitions(
  database: Queryable,
  organizationId: string,
  known?: Pick<Revisions, "attributes">,
): Promise<Definitions> {
  const present = known ?? (await readRevisions(database, organizationId));
  const kept = present && remembered.get(present.attributes);
  if (kept) return kept;
  const { revision, definitions } = await readAttributeDefinitions(database, organizationId);
  if (revision !== undefined) remembered.set(revision, definitions);
  return definitions;
}

/** The attributes of an organization's users and accounts. No more than `limit` of each can be defined. */
export async function loadAllAttributes(
  database: Queryable,
  organizationId: string,
  limit: number,
  revisions?: Pick<Revisions, "attributes">,
): Promise<Record<SubjectType, AttributeDefinitions>> {
  const { user, account } = await loadDefinitions(database, organizationId, revisions);
  return { user: new AttributeDefinitions(user, limit), account: new AttributeDefinitions(account, limit) };
}

/** The attributes of an organization's users or accounts. No more than `limit` of them can be defined. */
export async function loadAttributes(
  database: Queryable,
  organizationId: string,
  subjectType: SubjectType,
  limit: number,
  revisions?: Pick<Revisions, "attributes">,
): Promise<AttributeDefinitions> {
  return new AttributeDefinitions((await loadDefinitions(database, organizationId, revisions))[subjectType], limit);
}

/** The types of an organization's attributes, as the query language asks for them. */
export async function loadAttributeTypes(
  database: Queryable,
  organizationId: string,
  revisions?: Pick<Revisions, "attributes">,
): Promise<AttributeTypes> {
  const definitions = await loadDefinitions(database, organizationId, revisions);
  const typesOf = (subjectType: SubjectType) =>
    new Map(definitions[subjectType].map(({ name, type }) => [name, type] as const));
  const types = { user: typesOf("user"), account: typesOf("account") };
  return { typeOf: (subjectType, key) => types[subjectType].get(attributeName(subjectType, key)) };
}

/** The names of an organization's attributes. */
export async function loadAttributeNames(
  database: Queryable,
  organizationId: string,
): Promise<Record<SubjectType, readonly string[]>> {
  const { user, account } = await loadDefinitions(database, organizationId);
  return { user: user.map(({ name }) => name), account: account.map(({ name }) => name) };
}

/** The report keys of attributes that are not to be shown. */
export async function hiddenKeys(
  database: Queryable,
  organizationId: string,
  subjectType: SubjectType,
  revisions?: Pick<Revisions, "attributes">,
): Promise<string[]> {
  const definitions = await loadDefinitions(database, organizationId, revisions);
  return definitions[subjectType].filter(({ visible }) => !visible).map(({ name }) => reportKey(subjectType, name));
}
