import { createId } from "@muster/protocol";
import type { Organization, OrganizationChanges } from "../../../domain/organizations/organization.js";
import type { Queryable } from "../database.js";

interface OrganizationRow {
  id: string;
  namespace: string;
  name: string;
  enabled: boolean;
  join_by_hints: boolean;
  created_at: Date;
}

const COLUMNS = "id, namespace, name, enabled, join_by_hints, created_at";

export async function createOrganization(
  database: Queryable,
  organization: { namespace: string; name: string },
): Promise<Organization> {
  const { rows } = await database.query<OrganizationRow>(
    `insert into organizations (id, namespace, name)
     values ($1, $2, $3)
     returning ${COLUMNS}`,
    [createId("organization"), organization.namespace, organization.name],
  );
  return fromRow(rows[0]!);
}

export async function listOrganizations(database: Queryable): Promise<Organization[]> {
  const { rows } = await database.query<OrganizationRow>(
    `select ${COLUMNS} from organizations where deleted_at is null order by id`,
  );
  return rows.map(fromRow);
}

/** Organizations whose deletion was requested at least so long ago, and that are not removed yet. */
export async function listDeletedOrganizations(database: Queryable, { minAgeMs = 0 } = {}): Promise<Organization[]> {
  const { rows } = await database.query<OrganizationRow>(
    `select ${COLUMNS}
     from organizations
     where deleted_at <= now() - $1 * interval '1 millisecond'
     order by id`,
    [minAgeMs],
  );
  return rows.map(fromRow);
}

export async function findOrganization(database: Queryable, idOrNamespace: string): Promise<Organization | undefined> {
  const { rows } = await database.query<OrganizationRow>(
    `select ${COLUMNS}
     from organizations
     where (id = $1 or namespace = $1) and deleted_at is null
     order by (id = $1) desc
     limit 1`,
    [idOrNamespace],
  );
  return rows[0] && fromRow(rows[0]);
}

export async function updateOrganization(
  database: Queryable,
  id: string,
  { name, enabled, joinByHints }: OrganizationChanges,
): Promise<Organization | undefined> {
  const { rows } = await database.query<OrganizationRow>(
    `update organizations
     set name = coalesce($2, name), enabled = coalesce($3, enabled), join_by_hints = coalesce($4, join_by_hints)
     where id = $1 and deleted_at is null
     returning ${COLUMNS}`,
    [id, name ?? null, enabled ?? null, joinByHints ?? null],
  );
  return rows[0] && fromRow(rows[0]);
}

/** Marks an organization as deleted: nobody finds it any more. Its data is removed later. */
export async function markOrganizationDeleted(database: Queryable, id: string): Promise<Organization | undefined> {
  const { rows } = await database.query<OrganizationRow>(
    `update organizations
     set deleted_at = now(), enabled = false
     where id = $1 and deleted_at is null
     returning ${COLUMNS}`,
    [id],
  );
  return rows[0] && fromRow(rows[0]);
}

function fromRow(row: OrganizationRow): Organization {
  return {
    id: row.id,
    namespace: row.namespace,
    name: row.name,
    enabled: row.enabled,
    joinByHints: row.join_by_hints,
    createdAt: row.created_at,
  };
}
