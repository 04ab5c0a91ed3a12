import { type Static, Type } from "typebox";
import { PageQuery } from "./paging.js";
import { nullable } from "./schema.js";

export const MAX_COMMENT_LENGTH = 20_000;

export const Comment = Type.Object(
  {
    id: Type.String(),
    object_id: Type.String(),
    user: nullable(Type.Object({ id: Type.String() }), { description: "The author, if known." }),
    author_name: nullable(Type.String(), { description: "Who wrote it, when it was not a user." }),
    text: Type.String(),
    created_at: Type.String(),
    updated_at: Type.String(),
  },
  { component: "Comment", description: "A comment on an object." },
);
export type Comment = Static<typeof Comment>;

const text = Type.String({ minLength: 1, maxLength: MAX_COMMENT_LENGTH });

export const CommentChange = Type.Object({ text }, { component: "CommentChange", description: "Of a comment." });

const params = Type.Object({ id: Type.String({ description: "The id of any object, or `me`, `app` or `org`." }) });

export const COMMENTS_API = {
  "GET /api/v1/{id}/comments": { params, querystring: PageQuery, response: { 200: Type.Array(Comment) } },
  "POST /api/v1/{id}/comments": { params, body: Type.Object({ text }), response: { 201: Comment } },
};
