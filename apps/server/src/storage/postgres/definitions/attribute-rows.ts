import type { SubjectType } from "@muster/protocol";
import type { AttributeType } from "../../../domain/attributes/attribute-definitions.js";
import type { Queryable } from "../database.js";

/** A stored attribute definition. */
export interface AttributeRow {
  name: string;
  type: AttributeType;
  visible: boolean;
  trackChanges: boolean;
  /** Whether end users may not write it. Null: as the first attribute of its group says. */
  serverOnly: boolean | null;
  /** An end user wrote the first value. */
  byEndUser: boolean;
  source: string | null;
  createdAt: Date;
  /** When the definition was changed last. */
  updatedAt: Date;
  /** When a record carried the attribute last, to the minute. Null when none did yet. */
  lastSeenAt: Date | null;
}

type AttributeFlags = Pick<AttributeRow, "visible" | "trackChanges" | "serverOnly">;

const SELECT = `select name, type, visible, track_changes as "trackChanges", server_only as "serverOnly",
       by_end_user as "byEndUser", source,
       created_at as "createdAt", updated_at as "updatedAt", last_seen_at as "lastSeenAt"
     from attribute_definitions
     where organization_id = $1 and subject_type = $2`;

export async function listAttributes(
  database: Queryable,
  organizationId: string,
  subjectType: SubjectType,
): Promise<AttributeRow[]> {
  const { rows } = await database.query<AttributeRow>(`${SELECT} order by name`, [organizationId, subjectType]);
  return rows;
}

export async function findAttribute(
  database: Queryable,
  organizationId: string,
  subjectType: SubjectType,
  name: string,
): Promise<AttributeRow | undefined> {
  const { rows } = await database.query<AttributeRow>(`${SELECT} and name = $3`, [organizationId, subjectType, name]);
  return rows[0];
}

export async function createAttribute(
  database: Queryable,
  organizationId: string,
  subjectType: SubjectType,
  { name, type, visible, trackChanges, serverOnly }: AttributeFlags & { name: string; type: AttributeType },
): Promise<void> {
  await database.query(
    `insert into attribute_definitions
       (organization_id, subject_type, name, type, visible, track_changes, server_only)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict do nothing`,
    [organizationId, subjectType, name, type, visible, trackChanges, serverOnly],
  );
}

export async function updateAttribute(
  database: Queryable,
  organizationId: string,
  subjectType: SubjectType,
  name: string,
  { visible, trackChanges, serverOnly }: AttributeFlags,
): Promise<void> {
  await database.query(
    `update attribute_definitions
     set visible = $4, track_changes = $5, server_only = $6, updated_at = now()
     where organization_id = $1 and subject_type = $2 and name = $3`,
    [organizationId, subjectType, name, visible, trackChanges, serverOnly],
  );
}

/** Marks all attributes of a group. Returns how many there are. */
export async function markGroup(
  database: Queryable,
  organizationId: string,
  subjectType: SubjectType,
  group: string,
  serverOnly: boolean,
): Promise<number> {
  const { rowCount } = await database.query(
    `update attribute_definitions
     set server_only = $4, updated_at = now()
     where organization_id = $1 and subject_type = $2 and starts_with(name, $3 || '/')`,
    [organizationId, subjectType, group, serverOnly],
  );
  return rowCount ?? 0;
}
