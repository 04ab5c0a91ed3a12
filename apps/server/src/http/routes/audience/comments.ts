import { type Brand, Refusal } from "@muster/protocol";
import { PageQuery } from "@muster/protocol/api/paging";
import { Type } from "typebox";
import type { Comments } from "../../../audience/comments.js";
import type { App } from "../../app-type.js";
import type { Caller } from "../../auth/caller.js";
import type { FindMe, ObjectHandler, RequireObject } from "../../object-handler.js";
import { describePage, limitsOf } from "../pagination.js";

const MAX_COMMENT_LENGTH = 20_000;

const Params = Type.Object({ id: Type.String({ description: "The id of any object, or `me`, `app` or `org`." }) });

const CommentAnswer = Type.Object(
  {
    id: Type.String(),
    object_id: Type.String(),
    user: Type.Union([Type.Object({ id: Type.String() }), Type.Null()], { description: "The author, if known." }),
    author_name: Type.Union([Type.String(), Type.Null()], {
      description: "Who wrote it, when it was not a user.",
    }),
    text: Type.String(),
    created_at: Type.String(),
    updated_at: Type.String(),
  },
  { component: "Comment", description: "A comment on an object." },
);

export interface CommentRoutesOptions {
  comments: Comments;
  brand: Brand;
  findMe: FindMe;
  requireObject: RequireObject;
}

/** Routes for listing and writing the comments on an object. */
export function commentRoutes(app: App, { comments, brand, findMe, requireObject }: CommentRoutesOptions): void {
  app.get(
    "/:id/comments",
    {
      config: { access: "connector" },
      schema: {
        tags: ["objects"],
        summary: "The comments on an object",
        params: Params,
        querystring: PageQuery,
        response: { 200: Type.Array(CommentAnswer) },
      },
    },
    async (request, reply) => {
      const { caller, params, query } = request;
      const objectId = await requireObject(params.id, caller);
      const found = await comments.list(caller.organization.id, objectId, limitsOf(query));
      describePage(request, reply, brand, query, found.total);
      return found.comments;
    },
  );

  app.post(
    "/:id/comments",
    {
      config: { access: "connector", hasPersonalBody: true },
      schema: {
        tags: ["objects"],
        summary: "Comment on an object",
        params: Params,
        body: Type.Object({ text: Type.String({ minLength: 1, maxLength: MAX_COMMENT_LENGTH }) }),
        response: { 201: CommentAnswer },
      },
    },
    async ({ caller, params, body }, reply) => {
      const objectId = await requireObject(params.id, caller);
      const authorId = (await findMe(caller)) ?? null;
      reply.status(201);
      const authorName = authorId === null ? nameOf(caller) : null;
      return comments.create(caller.organization.id, { objectId, authorId, authorName, text: body.text });
    },
  );
}

/** The name of a caller who is not a user. */
function nameOf(caller: Caller): string | null {
  if (caller.kind === "operator") return "Operator";
  if (caller.kind === "member") return caller.member.name || caller.member.email;
  return caller.kind === "connector" ? caller.connector.name : null;
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
