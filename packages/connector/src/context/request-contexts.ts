import type { Request } from "express";
import { RequestError } from "../errors/request-error.js";
import { type Credentials, credentialsFromQuery } from "../trust/credentials.js";
import type { NotificationReader } from "../trust/notification-reader.js";
import type { Context } from "./context.js";
import type { ContextFactory } from "./context-factory.js";
import { readRequestToken, type TokenUse } from "./request-token.js";

/** Where the credentials of a request are looked for. */
export interface CredentialSources {
  /** In the query string: `organization`, `id` or `ship`, `secret`. */
  fromQuery: boolean;
  /** In the `configuration` of a signed body. */
  fromNotification: boolean;
  /** In the token of a page, `token` in the query. The token of a webhook's address is accepted at that address. */
  fromPage: boolean;
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

  /** Whether the request says that it is a signed notification. */
  isSigned(request: Request): boolean {
    return this.#reader.isSmart(request);
  }

  /** Throws a `RequestError` with status 401 when the request has no credentials that Muster accepts. */
  async open(request: Request, sources: CredentialSources, more: { isBatch?: boolean } = {}): Promise<Context> {
    const details = { ...more, requestId: request.get("x-request-id"), origin: originOf(request) };
    if (sources.fromNotification && this.#reader.isSmart(request)) {
      const { id, credentials, body, ...records } = await this.#reader.readSmart(request);
      request.body = body;
      return this.#factory.createForCall(credentials, { ...details, requestId: id, records });
    }
    const credentials =
      this.#fromToken(request, sources.fromPage) ??
      (sources.fromQuery ? credentialsFromQuery(request.query) : undefined);
    if (!credentials) throw new RequestError(401, "missing_credentials", "The request carries no credentials.");
    return this.#factory.createForCall(credentials, details);
  }

  /** Like `open`, for the callback of an authorization: its token is valid for that use only. */
  async openForUse(request: Request, token: unknown, use: TokenUse): Promise<Context> {
    const credentials = this.#readToken(token, use);
    if (!credentials) throw new RequestError(401, "missing_credentials", "The request carries no valid token.");
    return this.#factory.createForCall(credentials, { origin: originOf(request) });
  }

  #fromToken({ query, baseUrl, path }: Request, fromPage: boolean): Credentials | undefined {
    const fromWebhook = this.#readToken(query.token, `webhook ${baseUrl}${path}`);
    return fromWebhook ?? (fromPage ? this.#readToken(query.token, "page") : undefined);
  }

  #readToken(token: unknown, use: TokenUse): Credentials | undefined {
    if (this.#hostSecret === undefined || typeof token !== "string") return undefined;
    return readRequestToken(token, use, this.#hostSecret, Date.now());
  }
}

export function originOf(request: Request): string {
  return `${request.protocol}://${request.get("host") ?? request.hostname}`;
}
