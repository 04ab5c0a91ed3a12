import type { Caller } from "../auth/caller.js";

/** What `/:id` can do with objects of one type. A missing operation is a 405; undefined or false is a 404. */
export interface ObjectHandler {
  read?(id: string, caller: Caller): Promise<object | undefined>;
  update?(id: string, body: unknown, caller: Caller): Promise<object | undefined>;
  remove?(id: string, caller: Caller): Promise<object | boolean>;
}
