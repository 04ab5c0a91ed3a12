import type { InsightQuestion, SavedInsight } from "@muster/protocol/api/insights";
import type { Database, Queryable } from "../database.js";
import { type Page, readPage } from "../read-page.js";

interface InsightRow extends Pick<SavedInsight, "id" | "name" | "question" | "home_place"> {
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = "id, name, question, home_place, created_at, updated_at";

/** The insights of an organization in the order of their names. */
export async function listInsights(
  database: Queryable,
  organizationId: string,
  page: Page,
): Promise<{ total: number; insights: SavedInsight[] }> {
  const { total, rows } = await readPage<InsightRow>(
    database,
    {
      columns: COLUMNS,
      from: "saved_insights where organization_id = $1",
      orderBy: "lower(name), id",
      values: [organizationId],
    },
    page,
  );
  return { total, insights: rows.map(fromRow) };
}

export async function findInsight(
  database: Queryable,
  organizationId: string,
  id: number,
): Promise<SavedInsight | undefined> {
  const { rows } = await database.query<InsightRow>(
    `select ${COLUMNS} from saved_insights where organization_id = $1 and id = $2`,
    [organizationId, id],
  );
  return rows[0] && fromRow(rows[0]);
}

/** Stores an insight. Returns undefined when the organization already has `limit` of them. */
export async function createInsight(
  database: Queryable,
  organizationId: string,
  { name, question }: { name: string; question: InsightQuestion },
  limit: number,
): Promise<SavedInsight | undefined> {
  const { rows } = await database.query<InsightRow>(
    `insert into saved_insights (organization_id, name, question)
     select $1, $2, $3::text::jsonb
     where (select count(*) from saved_insights where organization_id = $1) < $4
     returning ${COLUMNS}`,
    [organizationId, name, JSON.stringify(question), limit],
  );
  return rows[0] && fromRow(rows[0]);
}

export async function updateInsight(
  database: Queryable,
  organizationId: string,
  id: number,
  { name, question }: { name: string | undefined; question: InsightQuestion | undefined },
): Promise<SavedInsight | undefined> {
  const { rows } = await database.query<InsightRow>(
    `update saved_insights
     set name = coalesce($3, name), question = coalesce($4::text::jsonb, question), updated_at = now()
     where organization_id = $1 and id = $2
     returning ${COLUMNS}`,
    [organizationId, id, name ?? null, question ? JSON.stringify(question) : null],
  );
  return rows[0] && fromRow(rows[0]);
}

export async function removeInsight(database: Queryable, organizationId: string, id: number): Promise<boolean> {
  const { rowCount } = await database.query("delete from saved_insights where organization_id = $1 and id = $2", [
    organizationId,
    id,
  ]);
  return rowCount === 1;
}

/** Gives these insights their places on the home, and takes them from all others. Undefined when one of them does not exist. */
export async function arrangeHome(
  database: Database,
  organizationId: string,
  ids: readonly number[],
): Promise<SavedInsight[] | undefined> {
  return database.transaction(async (tx) => {
    // The lock keeps two arrangements from being mixed.
    const { rows: known } = await tx.query<{ id: number }>(
      "select id from saved_insights where organization_id = $1 order by id for update",
      [organizationId],
    );
    const existing = new Set(known.map(({ id }) => id));
    if (!ids.every((id) => existing.has(id))) return undefined;
    await tx.query(
      `update saved_insights
       set home_place = array_position($2::bigint[], id) - 1
       where organization_id = $1 and (home_place is not null or id = any($2::bigint[]))`,
      [organizationId, ids],
    );
    const { rows } = await tx.query<InsightRow>(
      `select ${COLUMNS} from saved_insights where organization_id = $1 and home_place is not null order by home_place`,
      [organizationId],
    );
    return rows.map(fromRow);
  });
}

function fromRow({ created_at, updated_at, ...row }: InsightRow): SavedInsight {
  return { ...row, created_at: created_at.toISOString(), updated_at: updated_at.toISOString() };
}
