import type { Queryable } from "../database.js";

/** Some of the jobs whose web address is stored without a seal. */
export async function listOpenAddresses(
  database: Queryable,
): Promise<{ organizationId: string; id: string; url: string }[]> {
  const { rows } = await database.query<{ organizationId: string; id: string; url: string }>(
    `select organization_id as "organizationId", id, parameters ->> 'url' as url
     from jobs
     where sealed_url is null and parameters ->> 'url' ~* '^https?:'
     limit 500`,
  );
  return rows;
}

/** Replaces the address of a job by its sealed form. */
export async function saveSealedAddress(
  database: Queryable,
  organizationId: string,
  id: string,
  sealedUrl: Buffer,
): Promise<void> {
  await database.query(
    `update jobs
     set sealed_url = $3, parameters = parameters || '{"url": null}'
     where organization_id = $1 and id = $2`,
    [organizationId, id, sealedUrl],
  );
}
