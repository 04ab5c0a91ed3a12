import type { IncomingHttpHeaders } from "node:http";
import type { NextFunction, Request, RequestHandler, Response } from "express";
import { answerError, reportError } from "../app/answer-error.js";
import { PAGE_HEADERS } from "../app/page-headers.js";
import type { Context } from "../context/context.js";
import { CONNECTOR_DISABLED } from "../context/platform-records.js";
import type { RequestContexts } from "../context/request-contexts.js";
import { RequestError } from "../errors/request-error.js";
import { bodyReader } from "./read-body.js";
import { Reply, View } from "./reply.js";

/** A request as handlers receive it: without the credentials. */
export interface IncomingRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly query: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
  readonly ip: string | undefined;
}

/** Answers a request with JSON, a page, or the result of `reply` or `view`. */
export type EndpointHandler = (ctx: Context, request: IncomingRequest) => unknown;

export interface HandlerOptions {
  /** Errors go to the next error handler of the application instead of being answered here. Default false. */
  disableErrorHandling?: boolean | undefined;
  /** Answer with the error's own message instead of a general one. Default false. */
  respondWithError?: boolean | undefined;
  /** Answer at once and do the work afterwards. Default false. */
  fireAndForget?: boolean | undefined;
  /** Take credentials from the query string. Default true. */
  credentialsFromQuery?: boolean | undefined;
  /** Take credentials from the `configuration` of a signed body. Default false. */
  credentialsFromNotification?: boolean | undefined;
  /** While the connector is disabled, answer that the request was dropped, and do not call the handler. Default false. */
  dropIfConnectorDisabled?: boolean | undefined;
  /** Default `html` for pages and `json` for everything else. */
  format?: "json" | "html" | undefined;
  /** How to read the body, whatever its content type. Default: by its content type. */
  bodyParser?: "urlencoded" | "json" | undefined;
}

/** What the place of an endpoint in the manifest decides. */
export interface EndpointKind {
  /** The endpoint is a page or is called by one, so the token of a page is accepted. Default false. */
  isForPages?: boolean;
}

const DROPPED = { dropped: "The connector is disabled." };
const CREDENTIALS = new Set(["organization", "id", "ship", "secret", "token"]);

/** The middleware of an endpoint: reads the credentials and then the body, runs the handler, and answers. */
export function requestHandler(
  contexts: RequestContexts,
  handle: EndpointHandler,
  options: HandlerOptions,
  { isForPages = false }: EndpointKind = {},
): RequestHandler[] {
  const endpoint = { contexts, handle, options: { ...options, isForPages }, readBody: bodyReader(options) };
  return [(request, response, next) => run(endpoint, request, response, next)];
}

interface Endpoint {
  contexts: RequestContexts;
  handle: EndpointHandler;
  options: HandlerOptions & EndpointKind;
  readBody: ReturnType<typeof bodyReader>;
}

async function run(
  { contexts, handle, options, readBody }: Endpoint,
  request: Request,
  response: Response,
  next: NextFunction,
): Promise<void> {
  const { credentialsFromQuery = true, credentialsFromNotification = false } = options;
  let ctx: Context | undefined;
  try {
    // Without the right credentials nothing of the body is read. A signed notification has them in its body.
    const isSigned = credentialsFromNotification && contexts.isSigned(request);
    if (isSigned) await readBody(request, response);
    ctx = await contexts.open(request, {
      fromQuery: credentialsFromQuery,
      fromNotification: credentialsFromNotification,
      fromPage: options.isForPages ?? false,
    });
    if (options.dropIfConnectorDisabled && !ctx.connector.enabled) {
      response.json(DROPPED);
      return;
    }
    if (!isSigned) await readBody(request, response);
    ctx.metric.increment("connector.request");
    if (options.fireAndForget) response.json({ ok: true });
    const answer = await handle(ctx, incomingRequest(request));
    if (!response.headersSent) send(response, answer, options.format ?? "json");
  } catch (error) {
    if (options.dropIfConnectorDisabled && isRefusedAsDisabled(error) && !response.headersSent) {
      response.json(DROPPED);
      return;
    }
    reportError(ctx, error, pathOf(request));
    if (options.disableErrorHandling) next(error);
    else answerError(response, error, options.respondWithError);
  }
}

/** Muster refuses the credentials of a disabled connector. */
function isRefusedAsDisabled(error: unknown): boolean {
  return error instanceof RequestError && error.code === CONNECTOR_DISABLED;
}

function send(response: Response, answer: unknown, format: "json" | "html"): void {
  if (answer instanceof View || format === "html") response.set(PAGE_HEADERS);
  if (answer instanceof View) {
    response.render(answer.name, answer.data);
    return;
  }
  const { status, body, headers } = answer instanceof Reply ? answer : new Reply(200, answer, {});
  response.status(status).set(headers);
  if (format === "html") response.type("html").send(String(body ?? ""));
  else response.json(body ?? { ok: true });
}

function incomingRequest({ method, path, body, query, params, headers, ip }: Request): IncomingRequest {
  const visible = Object.fromEntries(Object.entries(query).filter(([name]) => !CREDENTIALS.has(name)));
  return { method, path, body: body ?? {}, query: visible, params, headers, ip };
}

/** The path without its query, which holds the secret. */
function pathOf({ baseUrl, path }: Request): string {
  return baseUrl + path;
}
