import type { ConnectorStatus } from "@muster/protocol/manifest";
import type { StatusSource } from "../../../domain/connectors/connector.js";
import type { Queryable } from "../database.js";
import { type Page, readPage } from "../read-page.js";

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
  page: Page,
): Promise<{ total: number; entries: StatusEntry[] }> {
  const { total, rows } = await readPage<Omit<StatusEntry, "createdAt"> & { created_at: Date }>(
    database,
    {
      columns: "status, messages, source, created_at",
      from: "status_history where organization_id = $1 and connector_id = $2",
      orderBy: "id desc",
      values: [organizationId, connectorId],
    },
    page,
  );
  const entries = rows.map(({ created_at, ...entry }) => ({ ...entry, createdAt: created_at }));
  return { total, entries };
}
