import { createId } from "@muster/protocol";
import type { Deployment } from "../../../domain/platforms/deployment.js";
import { isForeignKeyViolation, type Queryable } from "../database.js";

interface DeploymentRow {
  id: string;
  platform_id: string;
  connector_id: string;
  settings: Record<string, unknown>;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = "id, platform_id, connector_id, settings, created_at, updated_at";

/** Returns undefined when there is no such platform or connector. */
export async function createDeployment(
  database: Queryable,
  organizationId: string,
  { platformId, connectorId, settings }: Pick<Deployment, "platformId" | "connectorId" | "settings">,
): Promise<Deployment | undefined> {
  try {
    const { rows } = await database.query<DeploymentRow>(
      `insert into deployments (organization_id, id, platform_id, connector_id, settings)
       values ($1, $2, $3, $4, $5::text::jsonb)
       returning ${COLUMNS}`,
      [organizationId, createId("deployment"), platformId, connectorId, JSON.stringify(settings)],
    );
    return fromRow(rows[0]!);
  } catch (error) {
    if (isForeignKeyViolation(error)) return undefined;
    throw error;
  }
}

/** The deployments on a platform, those of a connector, or all. */
export async function listDeployments(
  database: Queryable,
  organizationId: string,
  only: { platformId?: string; connectorId?: string } = {},
): Promise<Deployment[]> {
  const { rows } = await database.query<DeploymentRow>(
    `select ${COLUMNS}
     from deployments
     where organization_id = $1 and ($2::text is null or platform_id = $2) and ($3::text is null or connector_id = $3)
     order by id`,
    [organizationId, only.platformId ?? null, only.connectorId ?? null],
  );
  return rows.map(fromRow);
}

export async function findDeployment(
  database: Queryable,
  organizationId: string,
  id: string,
): Promise<Deployment | undefined> {
  const { rows } = await database.query<DeploymentRow>(
    `select ${COLUMNS} from deployments where organization_id = $1 and id = $2`,
    [organizationId, id],
  );
  return rows[0] && fromRow(rows[0]);
}

export async function mergeDeploymentSettings(
  database: Queryable,
  organizationId: string,
  id: string,
  settings: Record<string, unknown>,
): Promise<Deployment | undefined> {
  const { rows } = await database.query<DeploymentRow>(
    `update deployments
     set settings = settings || $3::text::jsonb, updated_at = now()
     where organization_id = $1 and id = $2
     returning ${COLUMNS}`,
    [organizationId, id, JSON.stringify(settings)],
  );
  return rows[0] && fromRow(rows[0]);
}

export async function removeDeployment(database: Queryable, organizationId: string, id: string): Promise<boolean> {
  const { rowCount } = await database.query("delete from deployments where organization_id = $1 and id = $2", [
    organizationId,
    id,
  ]);
  return rowCount === 1;
}

function fromRow(row: DeploymentRow): Deployment {
  return {
    id: row.id,
    platformId: row.platform_id,
    connectorId: row.connector_id,
    settings: row.settings,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
