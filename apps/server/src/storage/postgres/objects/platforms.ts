import { createId } from "@muster/protocol";
import type { Platform, PlatformFields } from "../../../domain/platforms/platform.js";
import type { Queryable } from "../database.js";

interface PlatformRow {
  id: string;
  name: string;
  domains: string[];
  settings: Record<string, unknown>;
  last_record_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = "id, name, domains, settings, last_record_at, created_at, updated_at";

export async function createPlatform(
  database: Queryable,
  organizationId: string,
  { name = "", domains = [], settings = {} }: PlatformFields,
): Promise<Platform> {
  const { rows } = await database.query<PlatformRow>(
    `insert into platforms (organization_id, id, name, domains, settings)
     values ($1, $2, $3, $4, $5::text::jsonb)
     returning ${COLUMNS}`,
    [organizationId, createId("platform"), name, domains, JSON.stringify(settings)],
  );
  return fromRow(rows[0]!);
}

export async function listPlatforms(database: Queryable, organizationId: string): Promise<Platform[]> {
  const { rows } = await database.query<PlatformRow>(
    `select ${COLUMNS} from platforms where organization_id = $1 order by id`,
    [organizationId],
  );
  return rows.map(fromRow);
}

export async function findPlatform(
  database: Queryable,
  organizationId: string,
  id: string,
): Promise<Platform | undefined> {
  const { rows } = await database.query<PlatformRow>(
    `select ${COLUMNS} from platforms where organization_id = $1 and id = $2`,
    [organizationId, id],
  );
  return rows[0] && fromRow(rows[0]);
}

/** Settings are merged, other fields are replaced. Fields that are not given stay. */
export async function updatePlatform(
  database: Queryable,
  organizationId: string,
  id: string,
  { name, domains, settings }: PlatformFields,
): Promise<Platform | undefined> {
  const { rows } = await database.query<PlatformRow>(
    `update platforms
     set name = coalesce($3, name), domains = coalesce($4::text[], domains),
         settings = settings || coalesce($5::text::jsonb, '{}'), updated_at = now()
     where organization_id = $1 and id = $2
     returning ${COLUMNS}`,
    [organizationId, id, name ?? null, domains ?? null, settings ? JSON.stringify(settings) : null],
  );
  return rows[0] && fromRow(rows[0]);
}

export async function removePlatform(database: Queryable, organizationId: string, id: string): Promise<boolean> {
  const { rowCount } = await database.query("delete from platforms where organization_id = $1 and id = $2", [
    organizationId,
    id,
  ]);
  return rowCount === 1;
}

/** Notes that a record came from a page of a platform. */
export async function noteRecord(database: Queryable, organizationId: string, id: string): Promise<void> {
  await database.query("update platforms set last_record_at = now() where organization_id = $1 and id = $2", [
    organizationId,
    id,
  ]);
}

function fromRow({ last_record_at, created_at, updated_at, ...row }: PlatformRow): Platform {
  return { ...row, lastRecordAt: last_record_at, createdAt: created_at, updatedAt: updated_at };
}
