import type { SubjectType } from "@muster/protocol";
import type {
  AttributeDefinition,
  AttributeType,
  NewAttribute,
} from "../../../domain/attributes/attribute-definitions.js";
import type { Queryable } from "../database.js";

/** The attributes of an organization's users or accounts. */
export async function readAttributeDefinitions(
  database: Queryable,
  organizationId: string,
  subjectType: SubjectType,
): Promise<AttributeDefinition[]> {
  const { rows } = await database.query<{
    name: string;
    type: AttributeType;
    visible: boolean;
    track_changes: boolean;
    last_seen_at: Date | null;
  }>(
    `select name, type, visible, track_changes, last_seen_at
     from attribute_definitions
     where organization_id = $1 and subject_type = $2`,
    [organizationId, subjectType],
  );
  return rows.map(({ name, type, visible, track_changes, last_seen_at }) => ({
    name,
    type,
    visible,
    trackChanges: track_changes,
    lastSeenAt: last_seen_at,
  }));
}

export async function saveAttributes(
  database: Queryable,
  organizationId: string,
  subjectType: SubjectType,
  added: readonly NewAttribute[],
): Promise<void> {
  if (added.length === 0) return;
  await database.query(
    `insert into attribute_definitions (organization_id, subject_type, name, type, source, by_end_user, last_seen_at)
     select $1, $2, name, type, source, by_end_user, now()
     from unnest($3::text[], $4::text[], $5::text[], $6::boolean[]) as r (name, type, source, by_end_user)
     on conflict do nothing`,
    [
      organizationId,
      subjectType,
      added.map(({ name }) => name),
      added.map(({ type }) => type),
      added.map(({ source }) => source),
      added.map(({ byEndUser }) => byEndUser),
    ],
  );
}

/** How many attributes of users and accounts end users have defined since a time. */
export async function countDefinedByEndUsers(
  database: Queryable,
  organizationId: string,
  since: Date,
): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    `select count(*)::integer as count
     from attribute_definitions
     where organization_id = $1 and by_end_user and created_at >= $2`,
    [organizationId, since],
  );
  return rows[0]?.count ?? 0;
}

/** Stores that records carried these attributes just now. */
export async function markSeen(
  database: Queryable,
  organizationId: string,
  subjectType: SubjectType,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  await database.query(
    `update attribute_definitions
     set last_seen_at = now()
     where organization_id = $1 and subject_type = $2 and name = any($3::text[])`,
    [organizationId, subjectType, names],
  );
}

/** The names of the attributes that are not shown in reports. */
export async function readHiddenAttributes(
  database: Queryable,
  organizationId: string,
  subjectType: SubjectType,
): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    "select name from attribute_definitions where organization_id = $1 and subject_type = $2 and not visible",
    [organizationId, subjectType],
  );
  return rows.map(({ name }) => name);
}
