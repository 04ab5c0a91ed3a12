import type { Brand } from "@muster/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Search } from "../../audience/search/search.js";

/** Part of the descriptions of routes. The name of the header starts with the brand, which a server can change. */
export const INCOMPLETE =
  "While the question engine is being filled again, the answer can be incomplete. A header whose name ends in `-Incomplete` is then `true`.";

/** Says in a header that an answer may be incomplete. Must be called before the question engine is asked. */
export type NoteIncomplete = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

export function noteIncompleteAnswers(search: Pick<Search, "isComplete">, brand: Brand): NoteIncomplete {
  return async ({ caller }, reply) => {
    if (!(await search.isComplete(caller.organization.id))) reply.header(brand.headers.incomplete, "true");
  };
}
