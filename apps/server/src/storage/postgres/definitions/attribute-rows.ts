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
  /** How people call it; empty when it is called by its name. */
  label: string;
  description: string;
  source: string | null;
  /** A job deletes it. */
  removing: boolean;
  /** The computed attribute that writes it. */
  computedBy: string | null;
  createdAt: Date;
  /** When the definition was changed last. */
  updatedAt: Date;
  /** When a record carried the attribute last, to the minute. Null when none did yet. */
  lastSeenAt: Date | null;
}

type AttributeFlags = Pick<AttributeRow, "visible" | "trackChanges" | "serverOnly" | "label" | "description">;

const SELECT = `select name, type, visible, track_changes as "trackChanges", server_only as "serverOnly",
       by_end_user as "byEndUser", label, description, source, removing, computed_by as "computedBy",
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

/** What people call the attributes that have another name for people. */
export async function listAttributeLabels(
  database: Queryable,
  organizationId: string,
): Promise<{ subjectType: SubjectType; name: string; label: string }[]> {
  const { rows } = await database.query<{ subjectType: SubjectType; name: string; label: string }>(
    `select subject_type as "subjectType", name, label
     from attribute_definitions
     where organization_id = $1 and label <> ''`,
    [organizationId],
  );
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
  {
    name,
    type,
    visible,
    trackChanges,
    serverOnly,
    label,
    description,
  }: AttributeFlags & { name: string; type: AttributeType },
): Promise<void> {
  await database.query(
    `insert into attribute_definitions
       (organization_id, subject_type, name, type, visible, track_changes, server_only, label, description)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict do nothing`,
    [organizationId, subjectType, name, type, visible, trackChanges, serverOnly, label, description],
  );
}

export async function updateAttribute(
  database: Queryable,
  organizationId: string,
  subjectType: SubjectType,
  name: string,
  { visible, trackChanges, serverOnly, label, description }: AttributeFlags,
): Promise<void> {
  await database.query(
    `update attribute_definitions
     set visible = $4, track_changes = $5, server_only = $6, label = $7, description = $8, updated_at = now()
     where organization_id = $1 and subject_type = $2 and name = $3`,
    [organizationId, subjectType, name, visible, trackChanges, serverOnly, label, description],
  );
}

/** Marks an attribute that a job deletes: no record may write it, and reports do not show it. */
export async function markRemoving(
  database: Queryable,
  organizationId: string,
  subjectType: SubjectType,
  name: string,
): Promise<void> {
  await database.query(
    `update attribute_definitions
     set removing = true, visible = false, updated_at = now()
     where organization_id = $1 and subject_type = $2 and name = $3`,
    [organizationId, subjectType, name],
  );
}

export async function removeAttribute(
  database: Queryable,
  organizationId: string,
  subjectType: SubjectType,
  name: string,
): Promise<void> {
  await database.query(
    "delete from attribute_definitions where organization_id = $1 and subject_type = $2 and name = $3",
    [organizationId, subjectType, name],
  );
}

/** Gives an attribute another type. Stored values must be converted afterwards. */
export async function changeType(
  database: Queryable,
  organizationId: string,
  subjectType: SubjectType,
  name: string,
  type: AttributeType,
): Promise<void> {
  await database.query(
    `update attribute_definitions
     set type = $4, updated_at = now()
     where organization_id = $1 and subject_type = $2 and name = $3`,
    [organizationId, subjectType, name, type],
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
