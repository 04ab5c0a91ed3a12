import { createId } from "@muster/protocol";
import type { Queryable } from "../database.js";
import { type Page, readPage } from "../read-page.js";
import { readWindow, type Window, type WindowRow } from "../read-window.js";

export interface Comment {
  id: string;
  objectId: string;
  authorId: string | null;
  /** Who wrote it, when it was not a user. */
  authorName: string | null;
  text: string;
  createdAt: Date;
  updatedAt: Date;
}

interface CommentRow {
  id: string;
  object_id: string;
  author_id: string | null;
  author_name: string | null;
  body: string;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = "id, object_id, author_id, author_name, body, created_at, updated_at";

export async function createComment(
  database: Queryable,
  organizationId: string,
  comment: Pick<Comment, "objectId" | "authorId" | "authorName" | "text">,
): Promise<Comment> {
  const { rows } = await database.query<CommentRow>(
    `insert into comments (organization_id, id, object_id, author_id, author_name, body)
     values ($1, $2, $3, $4, $5, $6)
     returning ${COLUMNS}`,
    [organizationId, createId("comment"), comment.objectId, comment.authorId, comment.authorName, comment.text],
  );
  return fromRow(rows[0]!);
}

export async function findComment(
  database: Queryable,
  organizationId: string,
  id: string,
): Promise<Comment | undefined> {
  const { rows } = await database.query<CommentRow>(
    `select ${COLUMNS} from comments where organization_id = $1 and id = $2`,
    [organizationId, id],
  );
  return rows[0] && fromRow(rows[0]);
}

export async function listComments(
  database: Queryable,
  organizationId: string,
  objectId: string,
  page: Page,
): Promise<{ total: number; comments: Comment[] }> {
  const { total, rows } = await readPage<CommentRow>(
    database,
    {
      columns: COLUMNS,
      from: "comments where organization_id = $1 and object_id = $2",
      orderBy: "id",
      values: [organizationId, objectId],
    },
    page,
  );
  return { total, comments: rows.map(fromRow) };
}

/** The comments on objects, the latest first, from a place in the list on. */
export async function readComments(
  database: Queryable,
  organizationId: string,
  objectIds: readonly string[],
  window: Window,
): Promise<WindowRow<Comment>[]> {
  const rows = await readWindow<CommentRow>(
    database,
    {
      columns: COLUMNS,
      from: "comments where organization_id = $1 and object_id = any($2::text[])",
      values: [organizationId, objectIds],
      time: "created_at",
      id: "id",
    },
    window,
  );
  return rows.map((row) => ({ ...fromRow(row), row_at: row.row_at, row_id: row.row_id }));
}

export async function updateComment(
  database: Queryable,
  organizationId: string,
  id: string,
  text: string,
): Promise<Comment | undefined> {
  const { rows } = await database.query<CommentRow>(
    `update comments
     set body = $3, updated_at = now()
     where organization_id = $1 and id = $2
     returning ${COLUMNS}`,
    [organizationId, id, text],
  );
  return rows[0] && fromRow(rows[0]);
}

export async function removeComment(database: Queryable, organizationId: string, id: string): Promise<boolean> {
  const { rowCount } = await database.query("delete from comments where organization_id = $1 and id = $2", [
    organizationId,
    id,
  ]);
  return rowCount === 1;
}

function fromRow(row: CommentRow): Comment {
  return {
    id: row.id,
    objectId: row.object_id,
    authorId: row.author_id,
    authorName: row.author_name,
    text: row.body,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Deletes the comments about erased users and accounts, and those that they wrote. Returns one of these ids for each. */
export async function eraseComments(
  database: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `delete from comments
     where organization_id = $1 and (object_id = any($2::text[]) or author_id = any($2::text[]))
     returning case when object_id = any($2::text[]) then object_id else author_id end as id`,
    [organizationId, ids],
  );
  return rows.map(({ id }) => id);
}
