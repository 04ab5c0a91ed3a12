import { type Brand, isId, Refusal } from "@muster/protocol";
import { Type } from "typebox";
import type { Comments } from "../../../audience/comments.js";
import type { App } from "../../app-type.js";
import type { Caller } from "../../auth/caller.js";
import { notFound } from "../not-found.js";
import type { FindMe, ObjectExists, ObjectHandler } from "../object-handler.js";
import { describePage, limitsOf, PageQuery } from "../pagination.js";

const MAX_COMMENT_LENGTH = 20_000;

const CommentAnswer = Type.Object({
  id: Type.String(),
  object_id: Type.String(),
  user: Type.Union([Type.Object({ id: Type.String() }), Type.Null()]),
  text: Type.String(),
  created_at: Type.String(),
  updated_at: Type.String(),
});

export interface CommentRoutesOptions {
  comments: Comments;
  brand: Brand;
  findMe: FindMe;
  objectExists: ObjectExists;
}

/** Routes for listing and writing the comments on an object. */
export function commentRoutes(app: App, { comments, brand, findMe, objectExists }: CommentRoutesOptions): void {
  const requireObject = async (id: string, caller: Caller) => {
    if (!isId(id) || !(await objectExists(id, caller))) {
      throw notFound("object", id);
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
        response: { 200: Type.Array(CommentAnswer) },
      },
    },
    async (request, reply) => {
      const { caller, params, query } = request;
      await requireObject(params.id, caller);
      const found = await comments.list(caller.organization.id, params.id, limitsOf(query));
      describePage(request, reply, brand, query, found.total);
      return found.comments;
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
        response: { 201: CommentAnswer },
      },
    },
    async ({ caller, params, body }, reply) => {
      await requireObject(params.id, caller);
      const authorId = (await findMe(caller)) ?? null;
      reply.status(201);
      return comments.create(caller.organization.id, { objectId: params.id, authorId, text: body.text });
    },
  );
}

/** Comments under `/:id`. */
export function commentObjects(comments: Comments): ObjectHandler {
  return {
    read: (id, { organization }) => comments.find(organization.id, id),
    update: (id, body, { organization }) => comments.update(organization.id, id, readText(body)),
    remove: (id, { organization }) => comments.remove(organization.id, id),
  };
}

function readText(body: unknown): string {
  const { text } = body as { text?: unknown };
  if (typeof text === "string" && text !== "" && text.length <= MAX_COMMENT_LENGTH) return text;
  throw new Refusal("missing_parameters", "Required parameters are missing: text.", {
    details: [{ path: "body.text", message: `must be a string of 1 to ${MAX_COMMENT_LENGTH} characters` }],
  });
}
