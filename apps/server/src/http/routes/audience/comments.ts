import { type Brand, Refusal } from "@muster/protocol";
import { COMMENTS_API, MAX_COMMENT_LENGTH } from "@muster/protocol/api/comments";
import type { Comments } from "../../../audience/entities/comments.js";
import type { App } from "../../app-type.js";
import type { Caller } from "../../auth/caller.js";
import type { FindMe, ObjectHandler, RequireObject } from "../../object-handler.js";
import { describePage, limitsOf } from "../pagination.js";

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
        ...COMMENTS_API["GET /api/v1/{id}/comments"],
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
        ...COMMENTS_API["POST /api/v1/{id}/comments"],
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
