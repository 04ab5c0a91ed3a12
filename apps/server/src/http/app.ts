import { randomUUID } from "node:crypto";
import type { ServerOptions } from "node:http";
import helmet from "@fastify/helmet";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { Refusal } from "@muster/protocol";
import Fastify, { type FastifyBaseLogger, type FastifyServerOptions, LogController } from "fastify";
import type { App } from "./app-type.js";
import { type AuthenticateOptions, authenticate } from "./auth/authenticate.js";
import { ACCESSES, checkAccess } from "./auth/caller.js";
import { answerError } from "./hooks/answer-errors.js";
import { answerBrokenRequest, answerUncommonRequests } from "./hooks/broken-requests.js";
import { answerOtherMethods } from "./hooks/other-methods.js";
import { requireUsableHead } from "./hooks/usable-input.js";
import { createValidatorCompiler } from "./hooks/validate.js";

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
  const server: ServerOptions = {
    // Node looks for requests that take too long only this often; its own default of 30 s would double the limit.
    connectionsCheckingInterval: Math.min(options.requestTimeoutMs, 1_000),
    // Node swaps the two limits when the one for the headers is the longer one, as its default of 60 s would be.
    headersTimeout: Math.min(options.requestTimeoutMs, 60_000),
    // We ask for it ourselves, to refuse its absence in our words.
    requireHostHeader: false,
  };
  const settings: FastifyServerOptions & { http: ServerOptions; https: object | null } = {
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.bodyLimitBytes,
    requestTimeout: options.requestTimeoutMs,
    connectionTimeout: 0,
    keepAliveTimeout: 65_000,
    trustProxy: options.trustProxy,
    // A key that reaches for a prototype costs itself alone, not the thousand records that came with it.
    onProtoPoisoning: "remove",
    onConstructorPoisoning: "remove",
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 2_048, ignoreTrailingSlash: true },
    frameworkErrors: answerError,
    clientErrorHandler: answerBrokenRequest,
    http: server,
    https: options.https ? { ...options.https, ...server } : null,
  };
  const app = Fastify(settings).withTypeProvider<TypeBoxTypeProvider>() as unknown as App;

  answerUncommonRequests(app.server);
  app.setValidatorCompiler(createValidatorCompiler());
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((request) => {
    throw new Refusal("not_found", `There is nothing at ${request.method} ${request.url.split("?")[0]}.`);
  });
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
  });
  app.addHook("onRequest", requireUsableHead);
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
    const { access = "operator", callerMaxAgeMs } = request.routeOptions.config;
    if (request.is404 || access === "open") return;
    const { headers, ip } = request;
    const head = { headers, query: request.query as Record<string, unknown>, ip, callerMaxAgeMs };
    request.caller = await authenticate(options.authentication, head, Date.now());
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
