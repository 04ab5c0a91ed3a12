import type { SubjectType } from "@muster/protocol";
import type { ViewDefinition } from "@muster/protocol/api/views";
import type { View } from "../../../domain/views/view.js";
import type { Queryable } from "../database.js";
import { type Page, readPage } from "../read-page.js";

interface ViewRow {
  id: number;
  name: string;
  target: SubjectType;
  predicate: Record<string, unknown>;
  search: string;
  columns: ViewDefinition["columns"];
  sort: Record<string, unknown>;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = "id, name, target, predicate, search, columns, sort, created_at, updated_at";

/** The views of an organization in the order of their names. */
export async function listViews(
  database: Queryable,
  organizationId: string,
  target: SubjectType | undefined,
  page: Page,
): Promise<{ total: number; views: View[] }> {
  const { total, rows } = await readPage<ViewRow>(
    database,
    {
      columns: COLUMNS,
      from: "views where organization_id = $1 and ($2::text is null or target = $2)",
      orderBy: "lower(name), id",
      values: [organizationId, target ?? null],
    },
    page,
  );
  return { total, views: rows.map(fromRow) };
}

export async function findView(database: Queryable, organizationId: string, id: number): Promise<View | undefined> {
  const { rows } = await database.query<ViewRow>(
    `select ${COLUMNS} from views where organization_id = $1 and id = $2`,
    [organizationId, id],
  );
  return rows[0] && fromRow(rows[0]);
}

/** Stores a view. Returns undefined when the organization already has `limit` of them. */
export async function createView(
  database: Queryable,
  organizationId: string,
  view: ViewDefinition,
  limit: number,
): Promise<View | undefined> {
  const { rows } = await database.query<ViewRow>(
    `insert into views (organization_id, name, target, predicate, search, columns, sort)
     select $1, $2, $3, $4::text::jsonb, $5, $6::text::jsonb, $7::text::jsonb
     where (select count(*) from views where organization_id = $1) < $8
     returning ${COLUMNS}`,
    [organizationId, ...valuesOf(view), limit],
  );
  return rows[0] && fromRow(rows[0]);
}

export async function updateView(
  database: Queryable,
  organizationId: string,
  id: number,
  view: ViewDefinition,
): Promise<View | undefined> {
  const { rows } = await database.query<ViewRow>(
    `update views
     set name = $2, target = $3, predicate = $4::text::jsonb, search = $5, columns = $6::text::jsonb,
         sort = $7::text::jsonb, updated_at = now()
     where organization_id = $1 and id = $8
     returning ${COLUMNS}`,
    [organizationId, ...valuesOf(view), id],
  );
  return rows[0] && fromRow(rows[0]);
}

export async function removeView(database: Queryable, organizationId: string, id: number): Promise<boolean> {
  const { rowCount } = await database.query("delete from views where organization_id = $1 and id = $2", [
    organizationId,
    id,
  ]);
  return rowCount === 1;
}

function valuesOf({ name, target, predicate, search, columns, sort }: ViewDefinition): unknown[] {
  return [name, target, JSON.stringify(predicate), search, JSON.stringify(columns), JSON.stringify(sort)];
}

function fromRow({ created_at, updated_at, ...row }: ViewRow): View {
  return { ...row, createdAt: created_at, updatedAt: updated_at };
}
