import type { ObjectType } from "@muster/protocol";
import type { AnyObject, RemovedObject } from "@muster/protocol/api/objects";
import type { Caller } from "./auth/caller.js";

/**
 * What `/:id` can do with objects of one type. When the operation is missing, the answer is 405; when it returns
 * undefined or false, the answer is 404.
 */
export interface ObjectHandler {
  /** Set when what `read` returns comes from the question engine, so that it can be incomplete. */
  asksQuestions?: true;
  read?(id: string, caller: Caller): Promise<AnyObject | undefined>;
  /** Whether `update` is for such a body. When it is not, the answer is 405, as if there were no update. */
  takesUpdate?(body: unknown): boolean;
  update?(id: string, body: unknown, caller: Caller): Promise<AnyObject | undefined>;
  /** `query`: the query string of the request. */
  remove?(id: string, caller: Caller, query: Record<string, unknown>): Promise<RemovedObject | boolean>;
}

export type ObjectHandlers = Partial<Record<ObjectType, ObjectHandler>>;

/** The id of the user that `me` means, or undefined when the user of the token is not known. */
export type FindMe = (caller: Caller) => Promise<string | undefined>;

/** The id of the object that a path names, by its id or as `me`, `app` or `org`. Refuses when there is none. */
export type RequireObject = (given: string, caller: Caller) => Promise<string>;
