import { randomUUID } from "node:crypto";
import type { ServerOptions } from "node:http";
import helmet from "@fastify/helmet";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { Refusal, typeOfId } from "@muster/protocol";
import Fastify, { type FastifyBaseLogger, type FastifyServerOptions, LogController } from "fastify";
import { readDescriptorLimit } from "../runtime/measures/descriptors.js";
import type { Role } from "../runtime/settings/roles.js";
import type { App } from "./app-type.js";
import { type AuthenticateOptions, authenticate, requireEnabled } from "./auth/authenticate.js";
import { ACCESSES, type Caller } from "./auth/caller.js";
import { checkAccess } from "./auth/check-access.js";
import { identifyPerson } from "./auth/person.js";
import { requireOwnPage } from "./auth/require-own-page.js";
import { type SessionCookie, takesSession } from "./auth/session-cookie.js";
import { signedUserHeaders } from "./auth/user-signature.js";
import type { VisitorCookies } from "./auth/visitor-cookies.js";
import { readJson } from "./body/read-json.js";
import { type ConnectionLimits, Connections, connectionLimits } from "./connections.js";
import { answerError } from "./hooks/answer-error.js";
import { answerBrokenRequest, answerUncommonRequests } from "./hooks/broken-requests.js";
import { NearbyRoutes } from "./hooks/nearby-routes.js";
import { answerOtherMethods } from "./hooks/other-methods.js";
import { refuseOtherRoles } from "./hooks/route-roles.js";
import { createSerializerCompiler } from "./hooks/serializer-compiler.js";
import { requireUsableHead } from "./hooks/usable-input.js";
import { createValidatorCompiler } from "./hooks/validator-compiler.js";
import { wantsPage } from "./hooks/wants-page.js";

export interface AppOptions {
  authentication: AuthenticateOptions;
  sessionCookie: SessionCookie;
  visitorCookies: VisitorCookies;
  logger: FastifyBaseLogger;
  bodyLimitBytes: number;
  requestTimeoutMs: number;
  /** The roles of this process. */
  roles: readonly Role[];
  /** How many proxies are believed about the client, or the addresses of those that are. */
  trustProxy: false | number | string[];
  https?: { cert: Buffer; key: Buffer };
  /** Limits of connections other than the usual ones. */
  connections?: Partial<ConnectionLimits>;
  /** Registers all routes. */
  routes(app: App): Promise<void>;
}

/**
 * Builds the application without listening. The life of a request, in Fastify's terms:
 *
 *   clientError    bytes that are not HTTP are answered at once (hooks/broken-requests.ts)
 *   onRequest      request id → usable head → secure headers → role of the process → 405 for a known path with another method
 *                  (hooks/other-methods.ts) → authenticate → check access
 *   preParsing     decompress, on the routes that take compressed bodies
 *   parsing        read the body, up to the limit, and parse it with pauses (body/read-json.ts)
 *   preValidation  usable body, on the routes under /api/v1
 *   validation     schema of the route
 *   preHandler     wait for the position that the request names
 *   handler        calls services, returns the answer
 *   error          any error of the steps above becomes a refusal (hooks/answer-error.ts)
 *
 * The hooks for compressed bodies, usable bodies and positions are registered with the routes (register-routes.ts).
 */
export async function buildApp(options: AppOptions): Promise<App> {
  const server: ServerOptions = {
    // How often Node looks for requests that take too long. Its default of 30 s could double the time limit.
    connectionsCheckingInterval: Math.min(options.requestTimeoutMs, 1_000),
    // Node swaps the two limits when the limit for headers is longer than the one for requests.
    headersTimeout: Math.min(options.requestTimeoutMs, HEADERS_TIMEOUT_MS),
    // requireUsableHead does this, with our error shape.
    requireHostHeader: false,
  };
  const settings: FastifyServerOptions & { http: ServerOptions; https: object | null } = {
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: options.bodyLimitBytes,
    requestTimeout: options.requestTimeoutMs,
    connectionTimeout: 0,
    // Reading the files of plugins takes long on a busy machine, and the default of 10 s stopped the start there.
    pluginTimeout: 120_000,
    keepAliveTimeout: 65_000,
    trustProxy: believed(options.trustProxy),
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 2_048, ignoreTrailingSlash: true },
    frameworkErrors: answerError,
    clientErrorHandler: answerBrokenRequest,
    http: server,
    https: options.https ? { ...options.https, ...server, handshakeTimeout: server.headersTimeout } : null,
  };
  const app = Fastify(settings).withTypeProvider<TypeBoxTypeProvider>() as unknown as App;

  readJson(app);
  answerUncommonRequests(app.server);
  const limits = connectionLimits(readDescriptorLimit(), options.trustProxy !== false);
  app.decorate("connections", new Connections(app.server, { ...limits, ...options.connections }));
  app.addHook("preClose", async () => app.connections.close());
  app.setValidatorCompiler(createValidatorCompiler());
  app.setSerializerCompiler(createSerializerCompiler());
  app.setErrorHandler(answerError);
  const nearby = new NearbyRoutes(app);
  app.decorate("nearbyRoutes", nearby);
  app.decorate("notFoundPage", undefined);
  app.setNotFoundHandler((request, reply) => {
    const isShown = options.roles.includes("dashboard") && wantsPage(request);
    if (isShown && app.notFoundPage) return app.notFoundPage(reply.status(404));
    const path = request.url.split("?")[0] ?? "";
    throw new Refusal(
      "not_found",
      `There is nothing at ${request.method} ${path.slice(0, MAX_PATH_SHOWN)}.${nearby.of(path)}`,
    );
  });
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
  });
  app.addHook("onRequest", requireUsableHead);
  await app.register(helmet, {
    contentSecurityPolicy: { directives: CONTENT_SECURITY_POLICY },
    strictTransportSecurity: options.https !== undefined,
  });

  refuseOtherRoles(app, options.roles);
  answerOtherMethods(app, options.roles);
  app.decorateRequest("caller");
  app.decorateRequest("person");
  app.decorate("declaredAccess", new Map());
  app.decorate("declaredSchemas", new Map());
  app.decorate("declaredForMembers", { reads: new Set<string>(), serverWide: new Set<string>() });
  app.addHook("onRoute", function declareAccess(route) {
    if (this.pluginAccess) route.config = { ...route.config, access: this.pluginAccess };
    const { url, method, config } = route;
    if (!config?.access || !ACCESSES.includes(config.access)) {
      throw new Error(`The route ${String(method)} ${url} does not declare who may use it (config.access).`);
    }
    for (const name of [method].flat()) {
      this.declaredAccess.set(`${name} ${url}`, config.access);
      this.declaredSchemas.set(`${name} ${url}`, { ...route.schema });
      if (config.reads) this.declaredForMembers.reads.add(`${name} ${url}`);
      if (config.serverWide) this.declaredForMembers.serverWide.add(`${name} ${url}`);
    }
  });
  app.addHook("onRequest", async (request, reply) => {
    const { access = "operator", callerMaxAgeMs, servesDisabled, reads, serverWide } = request.routeOptions.config;
    if (request.is404 || access === "open" || access === "writer") return;
    const { headers, ip, method } = request;
    // Pages of platforms and the gateway are for other callers: a member who visits such a page stays a visitor there.
    const takesCookie = access !== "anyone" && takesSession(request.routeOptions.url ?? "");
    const sessionToken = takesCookie ? options.sessionCookie.read(request) : undefined;
    if (access === "member") {
      const credentials = { authorization: headers.authorization, sessionToken };
      request.person = await identifyPerson(options.authentication, credentials);
      if (request.person.kind === "member") requireOwnPage(request, request.person.token);
      return;
    }
    options.visitorCookies.addIds(request, reply);
    const offeredUser = options.visitorCookies.offeredUser(request);
    const query = request.query as Record<string, unknown>;
    const head = { headers, query, ip, callerMaxAgeMs, sessionToken, offeredUser };
    const caller = await authenticate(options.authentication, head, Date.now());
    if (caller.kind === "member") requireOwnPage(request, sessionToken ?? "");
    request.caller = caller;
    if (caller.kind === "subject") reply.headers(signedUserOfPage(options.authentication, caller));
    checkAccess({ method, access, reads, serverWide }, caller);
    if (!servesDisabled) requireEnabled(caller.organization);
  });

  await options.routes(app);
  return app;
}

/** The old library deletes its cookie with the signed user when an answer has none. */
function signedUserOfPage(
  { brand, userTokenMaxDays: maxDays }: AuthenticateOptions,
  caller: Extract<Caller, { kind: "subject" }>,
): Record<string, string> {
  const { subjectId } = caller.claims;
  if (caller.platformId === undefined || subjectId === undefined || typeOfId(subjectId) !== "user") return {};
  return signedUserHeaders(brand, caller, subjectId, { maxDays, nowMs: Date.now() });
}

/** Fastify itself takes no number: it cannot know that all requests come through the proxies. The operator does. */
function believed(proxies: AppOptions["trustProxy"]) {
  return typeof proxies === "number" ? (_address: string, hop: number) => hop < proxies : proxies;
}

/** Headers have at most 16 kB: a slow client needs a second for them. Node's default is 60 s, and 120 s for a TLS handshake. */
const HEADERS_TIMEOUT_MS = 20_000;

const MAX_PATH_SHOWN = 200;

const CONTENT_SECURITY_POLICY = {
  defaultSrc: ["'self'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", "data:", "https:"],
  upgradeInsecureRequests: null,
};
