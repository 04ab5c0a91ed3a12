import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import helmet from "@fastify/helmet";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { Refusal, refusalBody } from "@muster/protocol";
import Fastify, { type FastifyBaseLogger, type FastifyServerOptions, LogController } from "fastify";
import { answerError } from "./answer-errors.js";
import type { App } from "./app-type.js";
import { type AuthenticateOptions, authenticate } from "./authenticate.js";
import { ACCESSES, checkAccess } from "./caller.js";
import { answerOtherMethods } from "./other-methods.js";
import { createValidatorCompiler } from "./validate.js";

export interface AppOptions {
  authentication: AuthenticateOptions;
  logger: FastifyBaseLogger;
  bodyLimitBytes: number;
  requestTimeoutMs: number;
  trustProxy: boolean;
  https?: { cert: Buffer; key: Buffer };
  /** Registers every route. */
  routes(app: App): Promise<void>;
}

/**
 * Builds the application without listening. A request's life:
 *   request id → secure headers → route → authenticate → access → body, bounded → schema → handler → answer or error
 */
export async function buildApp(options: AppOptions): Promise<App> {
  const settings: FastifyServerOptions & { https: { cert: Buffer; key: Buffer } | null } = {
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.bodyLimitBytes,
    requestTimeout: options.requestTimeoutMs,
    connectionTimeout: 0,
    keepAliveTimeout: 65_000,
    trustProxy: options.trustProxy,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 2_048, ignoreTrailingSlash: true },
    frameworkErrors: answerError,
    clientErrorHandler: answerBrokenRequest,
    https: options.https ?? null,
  };
  const app = Fastify(settings).withTypeProvider<TypeBoxTypeProvider>() as unknown as App;

  app.setValidatorCompiler(createValidatorCompiler());
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request) => {
    throw new Refusal("not_found", `There is nothing at ${request.method} ${request.url.split("?")[0]}.`);
  });
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
  });
  await app.register(helmet, {
    contentSecurityPolicy: { directives: CONTENT_SECURITY_POLICY },
    strictTransportSecurity: options.https !== undefined,
  });

  app.decorateRequest("caller");
  app.addHook("onRoute", ({ url, method, config }) => {
    if (!config?.access || !ACCESSES.includes(config.access)) {
      throw new Error(`The route ${String(method)} ${url} does not declare who may use it (config.access).`);
    }
  });
  app.addHook("onRequest", async (request) => {
    const { access = "operator" } = request.routeOptions.config;
    if (request.is404 || access === "open") return;
    const face = { headers: request.headers, query: request.query as Record<string, unknown>, ip: request.ip };
    request.caller = await authenticate(options.authentication, face, Date.now());
    checkAccess(access, request.caller);
  });

  const addOtherMethods = answerOtherMethods(app);
  await options.routes(app);
  addOtherMethods();
  return app;
}

const CONTENT_SECURITY_POLICY = {
  defaultSrc: ["'self'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", "data:", "https:"],
  upgradeInsecureRequests: null,
};

/** Answers bytes that are not HTTP, or headers that are too large: they never become a request. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return;
  const refusal =
    error.code === "HPE_HEADER_OVERFLOW"
      ? new Refusal("headers_too_large", "The request headers are larger than this server accepts.")
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? new Refusal("request_timeout", "The request took too long to arrive.")
        : new Refusal("bad_request", "The request is not valid HTTP.");
  const body = JSON.stringify(refusalBody(refusal));
  socket.end(
    `HTTP/1.1 ${refusal.status} ${refusal.code}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
