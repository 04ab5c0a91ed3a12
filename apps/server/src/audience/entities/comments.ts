import { Refusal } from "@muster/protocol";
import type { Comment as CommentRecord } from "@muster/protocol/api/comments";
import type { Database } from "../../storage/postgres/database.js";
import {
  type Comment,
  createComment,
  findComment,
  listComments,
  removeComment,
  updateComment,
} from "../../storage/postgres/objects/comments.js";
import { countObjects } from "../../storage/postgres/objects/object-counts.js";

/** Comments on the objects of an organization. */
export class Comments {
  readonly #database: Database;
  readonly #maxComments: number;

  /** An organization has as many comments as entities at most. */
  constructor({ database, maxEntities }: { database: Database; maxEntities: number }) {
    this.#database = database;
    this.#maxComments = maxEntities;
  }

  /** A page of the comments on an object, the oldest first. */
  async list(
    organizationId: string,
    objectId: string,
    page: { limit: number; offset: number },
  ): Promise<{ total: number; comments: CommentRecord[] }> {
    const { total, comments } = await listComments(this.#database, organizationId, objectId, page);
    return { total, comments: comments.map(commentRecord) };
  }

  async create(
    organizationId: string,
    comment: { objectId: string; authorId: string | null; authorName: string | null; text: string },
  ): Promise<CommentRecord> {
    if ((await countObjects(this.#database, organizationId, "comment")) >= this.#maxComments) {
      throw new Refusal("conflict", `An organization has at most ${this.#maxComments} comments.`);
    }
    return commentRecord(await createComment(this.#database, organizationId, comment));
  }

  async find(organizationId: string, id: string): Promise<CommentRecord | undefined> {
    const comment = await findComment(this.#database, organizationId, id);
    return comment && commentRecord(comment);
  }

  async update(organizationId: string, id: string, text: string): Promise<CommentRecord | undefined> {
    const comment = await updateComment(this.#database, organizationId, id, text);
    return comment && commentRecord(comment);
  }

  remove(organizationId: string, id: string): Promise<boolean> {
    return removeComment(this.#database, organizationId, id);
  }
}

function commentRecord(comment: Comment): CommentRecord {
  return {
    id: comment.id,
    object_id: comment.objectId,
    user: comment.authorId === null ? null : { id: comment.authorId },
    author_name: comment.authorName,
    text: comment.text,
    created_at: comment.createdAt.toISOString(),
    updated_at: comment.updatedAt.toISOString(),
  };
}
