import type { Request } from "express";
import { RequestError } from "../errors/request-error.js";
import type { NotificationReader } from "../notifications/notification-reader.js";
import type { Context } from "./context.js";
import type { ContextFactory } from "./context-factory.js";
import { type Credentials, credentialsFromQuery } from "./credentials.js";
import { readRequestToken } from "./request-token.js";

/** Where the credentials of a request are looked for. */
export interface CredentialSources {
  /** In the query string: `organization`, `id` or `ship`, `secret`. */
  fromQuery: boolean;
  /** In the `configuration` of a signed body. */
  fromNotification: boolean;
}

/** Reads the credentials of a request and makes its context. */
export class RequestContexts {
  readonly #factory: ContextFactory;
  readonly #reader: NotificationReader;
  readonly #hostSecret: string | undefined;

  constructor(factory: ContextFactory, reader: NotificationReader, hostSecret: string | undefined) {
    this.#factory = factory;
    this.#reader = reader;
    this.#hostSecret = hostSecret;
  }

  /** Throws a `RequestError` with status 401 when the request has no credentials that Muster accepts. */
  async open(request: Request, sources: CredentialSources, more: { isBatch?: boolean } = {}): Promise<Context> {
    const details = { ...more, requestId: request.get("x-request-id"), origin: originOf(request) };
    if (sources.fromNotification && this.#reader.isSmart(request)) {
      const { id, credentials, body, ...records } = await this.#reader.readSmart(request);
      request.body = body;
      return this.#factory.create(credentials, { ...details, requestId: id, records });
    }
    const credentials =
      this.#fromToken(request) ?? (sources.fromQuery ? credentialsFromQuery(request.query) : undefined);
    if (!credentials) throw new RequestError(401, "missing_credentials", "The request carries no credentials.");
    return this.#factory.create(credentials, details);
  }

  #fromToken({ query }: Request): Credentials | undefined {
    if (this.#hostSecret === undefined) return undefined;
    // An OAuth service sends our token back as its `state`.
    for (const token of [query.token, query.state]) {
      const found = typeof token === "string" ? readRequestToken(token, this.#hostSecret, Date.now()) : undefined;
      if (found) return found;
    }
    return undefined;
  }
}

export function originOf(request: Request): string {
  return `${request.protocol}://${request.get("host") ?? request.hostname}`;
}
