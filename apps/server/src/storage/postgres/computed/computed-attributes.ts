import { createId, type SubjectType } from "@muster/protocol";
import type { Compute } from "@muster/protocol/api/computed-attributes";
import type { AttributeType } from "../../../domain/attributes/attribute-definitions.js";
import type { Queryable, Transaction } from "../database.js";

/** A stored computed attribute, and how far it is filled. */
export interface StoredComputed {
  id: string;
  subjectType: SubjectType;
  name: string;
  description: string;
  compute: Compute;
  type: AttributeType;
  /** The time alone can change values. */
  movesWithTime: boolean;
  revision: number;
  /** Everybody has the values of this revision. */
  filledRevision: number;
  /** The filling has come to this subject. Null: all subjects were asked about. */
  fillAfter: string | null;
  /** The filling ends when the relay has come to this change. */
  fillUntil: number | null;
  processed: number;
  total: number;
  /** Why it cannot be computed. */
  problem: string | null;
  problemSince: Date | null;
  /** Up to this time, the values of subjects that the time alone has moved are computed. */
  lookedAt: Date | null;
  computedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
}

const COLUMNS = `id, subject_type as "subjectType", name, description, compute, type, moves_with_time as "movesWithTime", revision,
  filled_revision as "filledRevision", fill_after as "fillAfter", fill_until as "fillUntil", processed, total, problem, problem_since as "problemSince",
  looked_at as "lookedAt", computed_at as "computedAt", created_at as "createdAt", updated_at as "updatedAt"`;

export type NewComputed = Pick<
  StoredComputed,
  "subjectType" | "name" | "description" | "compute" | "type" | "movesWithTime"
>;

export async function listComputed(database: Queryable, organizationId: string): Promise<StoredComputed[]> {
  const { rows } = await database.query<StoredComputed>(
    `select ${COLUMNS} from computed_attributes where organization_id = $1 order by id`,
    [organizationId],
  );
  return rows;
}

export async function findComputed(
  database: Queryable,
  organizationId: string,
  id: string,
): Promise<StoredComputed | undefined> {
  const { rows } = await database.query<StoredComputed>(
    `select ${COLUMNS} from computed_attributes where organization_id = $1 and id = $2`,
    [organizationId, id],
  );
  return rows[0];
}

/** Locks the definitions of an organization against one another's changes, and returns them. */
export async function lockComputed(tx: Transaction, organizationId: string): Promise<StoredComputed[]> {
  await tx.query("select from organizations where id = $1 for no key update", [organizationId]);
  return listComputed(tx, organizationId);
}

export async function createComputed(
  tx: Transaction,
  organizationId: string,
  { subjectType, name, description, compute, type, movesWithTime }: NewComputed,
): Promise<StoredComputed> {
  const { rows } = await tx.query<StoredComputed>(
    `insert into computed_attributes (organization_id, id, subject_type, name, description, compute, type, moves_with_time)
     values ($1, $2, $3, $4, $5, $6::text::jsonb, $7, $8)
     returning ${COLUMNS}`,
    [
      organizationId,
      createId("computed_attribute"),
      subjectType,
      name,
      description,
      JSON.stringify(compute),
      type,
      movesWithTime,
    ],
  );
  return rows[0]!;
}

/** Stores an edit. Another computation is a new revision, which is filled from the beginning. */
export async function updateComputed(
  tx: Transaction,
  organizationId: string,
  id: string,
  { description, compute, movesWithTime }: Pick<StoredComputed, "description" | "compute" | "movesWithTime">,
): Promise<StoredComputed | undefined> {
  const { rows } = await tx.query<StoredComputed>(
    `update computed_attributes
     set description = $3, compute = $4::text::jsonb, moves_with_time = $5, updated_at = now(),
         revision = revision + (compute is distinct from $4::text::jsonb)::integer,
         fill_after = case when compute is distinct from $4::text::jsonb then '' else fill_after end,
         fill_until = case when compute is distinct from $4::text::jsonb then null else fill_until end,
         processed = case when compute is distinct from $4::text::jsonb then 0 else processed end,
         problem = case when compute is distinct from $4::text::jsonb then null else problem end
     where organization_id = $1 and id = $2
     returning ${COLUMNS}`,
    [organizationId, id, description, JSON.stringify(compute), movesWithTime],
  );
  return rows[0];
}

export async function removeComputed(tx: Transaction, organizationId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query("delete from computed_attributes where organization_id = $1 and id = $2", [
    organizationId,
    id,
  ]);
  return rowCount === 1;
}

/** Says which computed attribute writes an attribute, or that records do again. A new attribute gets the type. */
export async function claimAttribute(
  tx: Transaction,
  organizationId: string,
  subjectType: SubjectType,
  { name, type, description, by }: { name: string; type: AttributeType; description: string; by: string | null },
): Promise<void> {
  await tx.query(
    `insert into attribute_definitions (organization_id, subject_type, name, type, description, source, computed_by)
     values ($1, $2, $3, $4, $5, '///' || $6, $6)
     on conflict (organization_id, subject_type, name) do update
     set computed_by = $6, updated_at = now()`,
    [organizationId, subjectType, name, type, description, by],
  );
}
