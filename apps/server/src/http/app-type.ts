import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifySchema } from "fastify";
import type { AuditedChange } from "../domain/members/audit-entry.js";
import type { Access, Caller } from "./auth/caller.js";
import type { Person } from "./auth/person.js";
import type { Connections } from "./connections.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Who may use the route; every route declares it. */
    access?: Access;
    /** The route changes nothing, although its method is not GET: people who may only look may use it. */
    reads?: true;
    /** The route is about the whole server and not about one organization: members of an organization may not use it. */
    serverWide?: true;
    /** The body holds data of people: the audit log must not keep it, because an erasure does not reach it there. */
    hasPersonalBody?: true;
    /** How old the data about the caller may be; by default it is read for every request. */
    callerMaxAgeMs?: number;
    /** The operator may use the route for a disabled organization. All other routes refuse it. */
    servesDisabled?: true;
    /** The handler gets the bytes of the body. Its JSON is neither parsed nor checked against the schema before. */
    takesBytes?: true;
    /** Other methods of its path are not answered with 405: they are for another route, such as `/:id`. */
    leavesOtherMethods?: true;
  }
  interface FastifyInstance {
    connections: Connections;
    /** What is near a path that has no route. */
    nearbyRoutes: { of(path: string): string };
    /** Answers a person who opened an address at which there is nothing. */
    notFoundPage: ((reply: FastifyReply) => Promise<unknown>) | undefined;
    /** Who may use the routes that a plugin from npm adds; such routes cannot declare it themselves. */
    pluginAccess?: Access;
    /** Who may use each route, by its method and path, such as `GET /healthz`. */
    declaredAccess: Map<string, Access>;
    /** The schemas of each route, named in the same way. */
    declaredSchemas: Map<string, FastifySchema>;
    /** The routes that declare `reads`, and those that declare `serverWide`, named in the same way. */
    declaredForMembers: { reads: Set<string>; serverWide: Set<string> };
  }
  interface FastifyRequest {
    /** Set before the body is read, except for unknown paths and on routes whose access is `open`, `writer` or `member`. */
    caller: Caller;
    /** Who is signed in, on routes whose access is `member`. */
    person: Person;
    /** What the audit log tells about a change, when a route knows it better than the hook. */
    audited?: AuditedChange;
    /** Set by a handler that finds that this request changes nothing: the audit log does not tell it. */
    changesNothing: boolean;
    /** The object that a request changes, as it was before. */
    recordBefore?: unknown;
  }
}

export type App = FastifyInstance<Server, IncomingMessage, ServerResponse, FastifyBaseLogger, TypeBoxTypeProvider>;
