import type { SubjectType } from "@muster/protocol";
import type {
  AttributeDefinition,
  AttributeType,
  NewAttribute,
} from "../../../domain/attributes/attribute-definitions.js";
import type { Queryable } from "../database.js";

export interface ReadDefinitions {
  /** Undefined for an organization that does not exist. */
  revision: string | undefined;
  definitions: Record<SubjectType, AttributeDefinition[]>;
}

/** The attributes of an organization's users and accounts, the oldest first, and the revision at which they are so. */
export async function readAttributeDefinitions(database: Queryable, organizationId: string): Promise<ReadDefinitions> {
  const { rows } = await database.query<{
    revision: string | null;
    subject_type: SubjectType | null;
    name: string;
    type: AttributeType;
    visible: boolean;
    track_changes: boolean;
    last_seen_at: Date | null;
    server_only: boolean | null;
    by_end_user: boolean;
    removing: boolean;
    computed_by: string | null;
  }>(
    // One statement, so that the revision is that of the rows.
    `select o.revision, d.subject_type, d.name, d.type, d.visible, d.track_changes, d.last_seen_at, d.server_only,
       d.by_end_user, d.removing, d.computed_by
     from (select (select attributes_revision from organizations where id = $1) as revision) o
     left join attribute_definitions d on d.organization_id = $1
     order by d.created_at, d.by_end_user, d.name`,
    [organizationId],
  );
  const definitions: ReadDefinitions["definitions"] = { user: [], account: [] };
  for (const { subject_type, name, type, visible, ...row } of rows) {
    if (subject_type === null) continue;
    definitions[subject_type].push({
      name,
      type,
      visible,
      trackChanges: row.track_changes,
      lastSeenAt: row.last_seen_at,
      serverOnly: row.server_only,
      byEndUser: row.by_end_user,
      ...(row.removing ? { removing: true } : {}),
      ...(row.computed_by === null ? {} : { computedBy: row.computed_by }),
    });
  }
  return { revision: rows[0]?.revision ?? undefined, definitions };
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
