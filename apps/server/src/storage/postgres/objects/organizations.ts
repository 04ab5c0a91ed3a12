import { createId } from "@muster/protocol";
import type { Organization } from "../../../domain/organizations/organization.js";
import type { Queryable } from "../database.js";

interface OrganizationRow {
  id: string;
  namespace: string;
  name: string;
  enabled: boolean;
  created_at: Date;
}

const COLUMNS = "id, namespace, name, enabled, created_at";

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
  const { rows } = await database.query<OrganizationRow>(`select ${COLUMNS} from organizations order by id`);
  return rows.map(fromRow);
}

export async function findOrganization(database: Queryable, idOrNamespace: string): Promise<Organization | undefined> {
  const { rows } = await database.query<OrganizationRow>(
    `select ${COLUMNS}
     from organizations
     where id = $1 or namespace = $1
     order by (id = $1) desc
     limit 1`,
    [idOrNamespace],
  );
  return rows[0] && fromRow(rows[0]);
}

function fromRow(row: OrganizationRow): Organization {
  return {
    id: row.id,
    namespace: row.namespace,
    name: row.name,
    enabled: row.enabled,
    createdAt: row.created_at,
  };
}
