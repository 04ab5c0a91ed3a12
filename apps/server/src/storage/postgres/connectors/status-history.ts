import type { ConnectorStatus } from "@muster/protocol/manifest";
import type { StatusSource } from "../../../domain/connectors/connector.js";
import type { Queryable } from "../database.js";

export interface StatusEntry {
  status: ConnectorStatus;
  messages: string[];
  source: StatusSource;
  createdAt: Date;
}

/** The statuses that a connector had, the latest first. */
export async function listStatuses(
  database: Queryable,
  organizationId: string,
  connectorId: string,
  page: { limit: number; offset: number },
): Promise<{ total: number; entries: StatusEntry[] }> {
  const counted = await database.query<{ total: number }>(
    "select count(*) as total from status_history where organization_id = $1 and connector_id = $2",
    [organizationId, connectorId],
  );
  const { rows } = await database.query<Omit<StatusEntry, "createdAt"> & { created_at: Date }>(
    `select status, messages, source, created_at
     from status_history
     where organization_id = $1 and connector_id = $2
     order by id desc
     limit $3 offset $4`,
    [organizationId, connectorId, page.limit, page.offset],
  );
  const entries = rows.map(({ created_at, ...entry }) => ({ ...entry, createdAt: created_at }));
  return { total: counted.rows[0]!.total, entries };
}
