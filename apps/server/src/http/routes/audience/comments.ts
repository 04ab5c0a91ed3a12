import { type Brand, isId, Refusal } from "@muster/protocol";
import { Type } from "typebox";
import type { Database } from "../../../storage/postgres/database.js";
import {
  type Comment,
  createComment,
  findComment,
  listComments,
  removeComment,
  updateComment,
} from "../../../storage/postgres/objects/comments.js";
import type { App } from "../../app-type.js";
import type { Caller } from "../../auth/caller.js";
import type { ObjectHandler } from "../object-handler.js";
import { describePage, limitsOf, PageQuery } from "../pagination.js";

const MAX_COMMENT_LENGTH = 20_000;

const CommentRecord = Type.Object({
  id: Type.String(),
  object_id: Type.String(),
  user: Type.Union([Type.Object({ id: Type.String() }), Type.Null()]),
  text: Type.String(),
  created_at: Type.String(),
  updated_at: Type.String(),
});

export interface CommentRoutesOptions {
  database: Database;
  brand: Brand;
  findMe(caller: Caller): Promise<string | undefined>;
  /** Whether the organization has an object of this id. */
  objectExists(id: string, caller: Caller): Promise<boolean>;
}

export function commentRoutes(app: App, { database, brand, findMe, objectExists }: CommentRoutesOptions): void {
  const requireObject = async (id: string, caller: Caller) => {
    if (!isId(id) || !(await objectExists(id, caller))) {
      throw new Refusal("not_found", `There is no object "${id.slice(0, 100)}".`);
    }
  };

  app.get(
    "/:id/comments",
    {
      config: { access: "connector" },
      schema: {
        tags: ["objects"],
        summary: "The comments on an object",
        params: Type.Object({ id: Type.String() }),
        querystring: PageQuery,
        response: { 200: Type.Array(CommentRecord) },
      },
    },
    async (request, reply) => {
      const { caller, params, query } = request;
      await requireObject(params.id, caller);
      const { total, comments } = await listComments(database, caller.organization.id, params.id, limitsOf(query));
      describePage(request, reply, brand, query, total);
      return comments.map(commentRecord);
    },
  );

  app.post(
    "/:id/comments",
    {
      config: { access: "connector" },
      schema: {
        tags: ["objects"],
        summary: "Comment on an object",
        params: Type.Object({ id: Type.String() }),
        body: Type.Object({ text: Type.String({ minLength: 1, maxLength: MAX_COMMENT_LENGTH }) }),
        response: { 201: CommentRecord },
      },
    },
    async ({ caller, params, body }, reply) => {
      await requireObject(params.id, caller);
      const authorId = (await findMe(caller)) ?? null;
      const comment = { objectId: params.id, authorId, text: body.text };
      reply.status(201);
      return commentRecord(await createComment(database, caller.organization.id, comment));
    },
  );
}

/** Comments under `/:id`. */
export function commentObjects(database: Database): ObjectHandler {
  return {
    async read(id, { organization }) {
      const comment = await findComment(database, organization.id, id);
      return comment && commentRecord(comment);
    },
    async update(id, body, { organization }) {
      const text = (body as { text?: unknown }).text;
      if (typeof text !== "string" || text === "" || text.length > MAX_COMMENT_LENGTH) {
        throw new Refusal("missing_parameters", "Required parameters are missing: text.", {
          details: [{ path: "body.text", message: `must be a string of 1 to ${MAX_COMMENT_LENGTH} characters` }],
        });
      }
      const comment = await updateComment(database, organization.id, id, text);
      return comment && commentRecord(comment);
    },
    remove: (id, { organization }) => removeComment(database, organization.id, id),
  };
}

function commentRecord(comment: Comment) {
  return {
    id: comment.id,
    object_id: comment.objectId,
    user: comment.authorId === null ? null : { id: comment.authorId },
    text: comment.text,
    created_at: comment.createdAt.toISOString(),
    updated_at: comment.updatedAt.toISOString(),
  };
}
