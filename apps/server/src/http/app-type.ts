import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import type { Access, Caller } from "./auth/caller.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Who may use the route; every route declares it. */
    access?: Access;
    /** The route changes nothing, although its method is not GET: people who may only look may use it. */
    reads?: true;
    /** The route is about the whole server and not about one organization: members of an organization may not use it. */
    serverWide?: true;
    /** How old the data about the caller may be; by default it is read for every request. */
    callerMaxAgeMs?: number;
    /** The operator may use the route for a disabled organization. All other routes refuse it. */
    servesDisabled?: true;
    /** The body holds a list of entries under `batch`, at most so many. They are parsed one by one. */
    maxBatchEntries?: number;
  }
  interface FastifyInstance {
    /** Who may use the routes that a plugin from npm adds; such routes cannot declare it themselves. */
    pluginAccess?: Access;
    /** Who may use each route, by its method and path, such as `GET /healthz`. */
    declaredAccess: Map<string, Access>;
  }
  interface FastifyRequest {
    /** Set before the body is read, except for unknown paths and on routes whose access is `open`. */
    caller: Caller;
  }
}

export type App = FastifyInstance<Server, IncomingMessage, ServerResponse, FastifyBaseLogger, TypeBoxTypeProvider>;
