import type { Queryable, Transaction } from "../database.js";

export interface StoredPurpose {
  name: string;
  description: string;
  connectorIds: string[];
  createdAt: Date;
  updatedAt: Date;
}

/** The purposes of an organization in the order of their names, with the connectors that serve each. */
export async function listPurposes(database: Queryable, organizationId: string): Promise<StoredPurpose[]> {
  const { rows } = await database.query<StoredPurpose>(
    `select p.name, p.description, p.created_at as "createdAt", p.updated_at as "updatedAt",
       array(
         select c.id
         from connectors c
         where c.organization_id = $1 and p.name = any(c.purposes)
         order by c.id
       ) as "connectorIds"
     from purposes p
     where p.organization_id = $1
     order by p.name`,
    [organizationId],
  );
  return rows;
}

/** Locks all purposes of an organization against one another's changes, and returns how many there are. */
export async function lockPurposes(tx: Transaction, organizationId: string): Promise<number> {
  await tx.query("select from organizations where id = $1 for no key update", [organizationId]);
  const { rows } = await tx.query<{ count: number }>(
    "select count(*) as count from purposes where organization_id = $1",
    [organizationId],
  );
  return rows[0]!.count;
}

/** Stores a purpose. A description that is left out stays as it is. Returns whether the purpose is new. */
export async function savePurpose(
  tx: Transaction,
  organizationId: string,
  name: string,
  description: string | undefined,
): Promise<void> {
  await tx.query(
    `insert into purposes as p (organization_id, name, description)
     values ($1, $2, coalesce($3, ''))
     on conflict (organization_id, name) do update
     set description = coalesce($3, p.description), updated_at = now()`,
    [organizationId, name, description ?? null],
  );
}

/** Those of the names that are purposes of the organization. They cannot be deleted until the transaction ends. */
export async function keepPurposes(
  tx: Transaction,
  organizationId: string,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return [];
  const { rows } = await tx.query<{ name: string }>(
    "select name from purposes where organization_id = $1 and name = any($2::text[]) order by name for share",
    [organizationId, names],
  );
  return rows.map(({ name }) => name);
}

/** Deletes a purpose. Returns the names of the connectors that serve it, for which it must stay; undefined: there is none. */
export async function removePurpose(
  tx: Transaction,
  organizationId: string,
  name: string,
): Promise<string[] | undefined> {
  const { rowCount } = await tx.query("delete from purposes where organization_id = $1 and name = $2", [
    organizationId,
    name,
  ]);
  if (rowCount === 0) return undefined;
  // A connector that has begun to serve it has committed by now, or finds no purpose.
  const { rows } = await tx.query<{ name: string }>(
    "select name from connectors where organization_id = $1 and $2 = any(purposes) order by id",
    [organizationId, name],
  );
  return rows.map((connector) => connector.name);
}

/** The purposes that a connector serves; none of a connector that does not exist. */
export async function readPurposes(
  database: Queryable,
  organizationId: string,
  connectorId: string,
): Promise<string[]> {
  const { rows } = await database.query<{ purposes: string[] }>(
    "select purposes from connectors where organization_id = $1 and id = $2",
    [organizationId, connectorId],
  );
  return rows[0]?.purposes ?? [];
}
