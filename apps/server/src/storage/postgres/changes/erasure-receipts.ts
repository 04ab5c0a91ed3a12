import type { SubjectType } from "@muster/protocol";
import type { Queryable, Transaction } from "../database.js";
import { type Page, readPage } from "../read-page.js";
import { type LeftMention, STILL_LEFT } from "./left-mentions.js";

/** How much was removed, by kind of data. */
export type ErasedCounts = Record<string, number>;

/** What an erasure has removed. */
export interface ErasureReceipt {
  /** The id of the erased subject. */
  id: string;
  subjectType: SubjectType;
  erasedAt: Date;
  /** What was removed at once. */
  removed: ErasedCounts;
  /** When logs, queues and files were clean too; null while the clean-up is to come. */
  cleanedAt: Date | null;
  /** What the clean-up removed, for all subjects that it was about. */
  cleaned: ErasedCounts | null;
  /** What people wrote that names the subject, as far as it is still there: somebody must decide about it. */
  left: LeftMention[];
  /** How many imports wait that were requested before the erasure, and so may have the subject in their files. */
  waitingImports: number;
}

export async function saveReceipts(
  tx: Transaction,
  subjectType: SubjectType,
  organizationId: string,
  removed: ReadonlyMap<string, ErasedCounts>,
): Promise<void> {
  await tx.query(
    `insert into erasures (organization_id, id, subject_type, removed)
     select $1, id, $2, removed::jsonb
     from unnest($3::text[], $4::text[]) as r (id, removed)
     on conflict do nothing`,
    [organizationId, subjectType, [...removed.keys()], [...removed.values()].map((counts) => JSON.stringify(counts))],
  );
}

/** Stores what the clean-up removed for subjects, and what it left. */
export async function completeReceipts(
  tx: Transaction,
  organizationId: string,
  ids: readonly string[],
  cleaned: ErasedCounts,
  left: ReadonlyMap<string, readonly LeftMention[]>,
): Promise<void> {
  await tx.query(
    `update erasures
     set cleaned_at = now(), cleaned = $3::text::jsonb
     where organization_id = $1 and id = any($2::text[])`,
    [organizationId, ids, JSON.stringify(cleaned)],
  );
  for (const [id, mentions] of left) {
    await tx.query("update erasures set left_mentions = $3::text::jsonb where organization_id = $1 and id = $2", [
      organizationId,
      id,
      JSON.stringify(mentions),
    ]);
  }
}

const COLUMNS = `id, subject_type as "subjectType", erased_at as "erasedAt", removed, cleaned_at as "cleanedAt", cleaned,
  ${STILL_LEFT} as left,
  (
    select count(*)
    from jobs j
    where j.organization_id = e.organization_id and j.type = 'import' and j.status in ('scheduled', 'running')
      and j.created_at <= e.erased_at
  ) as "waitingImports"`;

export async function findReceipt(
  database: Queryable,
  organizationId: string,
  id: string,
): Promise<ErasureReceipt | undefined> {
  const { rows } = await database.query<ErasureReceipt>(
    `select ${COLUMNS} from erasures e where organization_id = $1 and id = $2`,
    [organizationId, id],
  );
  return rows[0];
}

/** The erasures of an organization, the latest first. */
export async function listReceipts(
  database: Queryable,
  organizationId: string,
  page: Page,
): Promise<{ total: number; rows: ErasureReceipt[] }> {
  return readPage<ErasureReceipt>(
    database,
    {
      columns: COLUMNS,
      from: "erasures e where organization_id = $1",
      orderBy: "erased_at desc, id desc",
      values: [organizationId],
    },
    page,
  );
}
