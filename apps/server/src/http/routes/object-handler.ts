import type { ObjectType } from "@muster/protocol";
import type { Caller } from "../auth/caller.js";

/** What `/:id` can do with objects of one type. A missing operation is a 405; undefined or false is a 404. */
export interface ObjectHandler {
  read?(id: string, caller: Caller): Promise<object | undefined>;
  update?(id: string, body: unknown, caller: Caller): Promise<object | undefined>;
  remove?(id: string, caller: Caller): Promise<object | boolean>;
}

export type ObjectHandlers = Partial<Record<ObjectType, ObjectHandler>>;

/** The id of the user that `me` stands for, or undefined when nobody is known by the token. */
export type FindMe = (caller: Caller) => Promise<string | undefined>;

/** Whether the caller's organization has an object with an id. */
export type ObjectExists = (id: string, caller: Caller) => Promise<boolean>;
