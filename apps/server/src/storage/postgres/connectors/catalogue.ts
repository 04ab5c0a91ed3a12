import type { Queryable } from "../database.js";

/** A connector that can be installed. */
export interface CatalogueEntry {
  manifestUrl: string;
  sourceUrl: string;
  manifest: Record<string, unknown>;
  updatedAt: Date;
}

export async function saveToCatalogue(
  database: Queryable,
  organizationId: string,
  { manifestUrl, sourceUrl, manifest }: Omit<CatalogueEntry, "updatedAt">,
): Promise<void> {
  await database.query(
    `insert into catalogue (organization_id, manifest_url, source_url, manifest)
     values ($1, $2, $3, $4::text::jsonb)
     on conflict (organization_id, manifest_url) do update
     set source_url = excluded.source_url, manifest = excluded.manifest, updated_at = now()`,
    [organizationId, manifestUrl, sourceUrl, JSON.stringify(manifest)],
  );
}

interface CatalogueRow {
  manifest_url: string;
  source_url: string;
  manifest: Record<string, unknown>;
  updated_at: Date;
}

export async function listCatalogue(database: Queryable, organizationId: string): Promise<CatalogueEntry[]> {
  const { rows } = await database.query<CatalogueRow>(
    `select manifest_url, source_url, manifest, updated_at
     from catalogue
     where organization_id = $1
     order by lower(manifest ->> 'name'), manifest_url`,
    [organizationId],
  );
  return rows.map(entryOf);
}

export async function findInCatalogue(
  database: Queryable,
  organizationId: string,
  manifestUrl: string,
): Promise<CatalogueEntry | undefined> {
  const { rows } = await database.query<CatalogueRow>(
    `select manifest_url, source_url, manifest, updated_at
     from catalogue
     where organization_id = $1 and manifest_url = $2`,
    [organizationId, manifestUrl],
  );
  return rows.map(entryOf)[0];
}

function entryOf({ manifest_url, source_url, manifest, updated_at }: CatalogueRow): CatalogueEntry {
  return { manifestUrl: manifest_url, sourceUrl: source_url, manifest, updatedAt: updated_at };
}

export async function removeFromCatalogue(
  database: Queryable,
  organizationId: string,
  manifestUrl: string,
): Promise<boolean> {
  const { rowCount } = await database.query("delete from catalogue where organization_id = $1 and manifest_url = $2", [
    organizationId,
    manifestUrl,
  ]);
  return rowCount === 1;
}
