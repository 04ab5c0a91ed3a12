import { createServer, type RequestListener, type Server } from "node:http";
import { join } from "node:path";
import { createBrand } from "@muster/protocol";
import ejs from "ejs";
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Router,
} from "express";
import { allowCrossOrigin } from "./app/allow-cross-origin.js";
import { answerError } from "./app/answer-error.js";
import { staticRouter } from "./app/static-router.js";
import { timeOut } from "./app/time-out.js";
import { openMemoryCache } from "./cache/memory-cache.js";
import type { ConnectorOptions } from "./connector-options.js";
import type { Context } from "./context/context.js";
import { ContextFactory } from "./context/context-factory.js";
import { RequestContexts } from "./context/request-contexts.js";
import { signRequestToken } from "./context/request-token.js";
import { parseDuration } from "./duration.js";
import { reply, view } from "./handlers/reply.js";
import { type EndpointHandler, type HandlerOptions, requestHandler } from "./handlers/request-handler.js";
import { wireManifest } from "./handlers/wire-manifest.js";
import { type JobHandler, runJob } from "./jobs/run-job.js";
import { LogShipping } from "./logging/log-shipping.js";
import { connectorNameOf, type ManifestFile, openManifest } from "./manifest-file.js";
import { ServiceCalls } from "./metrics/service-calls.js";
import { Extracts } from "./notifications/extracts.js";
import { type NotificationHandlerParts, notificationHandler } from "./notifications/notification-handler.js";
import type {
  AnyMessageHandler,
  NotificationHandlers,
  NotificationOptions,
} from "./notifications/notification-options.js";
import { type OAuthOptions, type OAuthParts, oAuthRouter } from "./oauth/oauth-router.js";
import { MemoryQueue } from "./queue/memory-queue.js";
import { DEFAULT_QUEUE, type QueueAdapter } from "./queue/queue-adapter.js";
import type { Credentials } from "./trust/credentials.js";
import { NotificationReader } from "./trust/notification-reader.js";
import { listOwnUrls, OwnRecord } from "./trust/own-record.js";
import { listOrganizations, TrustedOrganizations } from "./trust/trusted-organizations.js";

const DEFAULT_PORT = 8082;
const DEFAULT_TIMEOUT = "25s";
const LEAST_SECRET_LENGTH = 16;
// Anybody can reach the endpoints of a connector. By default Node waits a minute for headers and looks every 30 s.
const SERVER_LIMITS = { headersTimeout: 20_000, requestTimeout: 120_000, connectionsCheckingInterval: 5_000 };
const MAX_CONNECTIONS = 10_000;
const DEFAULT_HOST = "127.0.0.1";
const FROM_QUERY_OR_PAGE = { fromQuery: true, fromNotification: false, fromPage: true };
// A name without a slash, a backslash or two dots cannot lead out of the folder `views`.
const PAGE_NAME = /^[\w-]+(\.[\w-]+)*$/;

/**
 * A connector: an application to which Muster sends changes, and whose endpoints it calls.
 *
 * @example
 * const connector = new Connector({
 *   handlers: { subscriptions: { userUpdate: (ctx, messages) => send(ctx, messages) } },
 * });
 * const app = express();
 * connector.setupApp(app);
 * connector.startApp(app);
 */
export class Connector {
  readonly #options: ConnectorOptions;
  readonly #manifestFile: ManifestFile;
  readonly #timeoutMs: number;
  readonly #queue: QueueAdapter;
  readonly #logShipping: LogShipping | undefined;
  readonly #serviceCalls = new ServiceCalls();
  readonly #organizations: TrustedOrganizations;
  readonly #allowCrossOrigin: RequestHandler;
  readonly #parts: NotificationHandlerParts;
  readonly #servers = new Set<Server>();

  constructor(options: ConnectorOptions = {}) {
    this.#options = options;
    warnOfWeakness(options);
    this.#manifestFile = openManifest(options.manifest, options.directory);
    this.#timeoutMs = parseDuration(options.timeout ?? DEFAULT_TIMEOUT);
    this.#queue = options.queue ?? new MemoryQueue();
    this.#logShipping = options.sendErrorLogs ? new LogShipping() : undefined;
    const { manifest } = this.#manifestFile;
    const { platformUrl } = options;
    const platform = platformUrl === undefined ? {} : { apiUrl: platformUrl, firehoseUrl: `${platformUrl}/firehose` };
    const clientConfig = { ...options.clientConfig, ...platform };
    this.#organizations = new TrustedOrganizations(listOrganizations(options.organizations, process.env), {
      ...clientConfig,
      platformUrl,
    });
    this.#allowCrossOrigin = allowCrossOrigin(options.allowedOrigins ?? []);
    const organizations = this.#organizations;
    const factory = new ContextFactory({
      clientConfig,
      connectorName: options.connectorName ?? connectorNameOf(manifest),
      connectorVersion: manifest.version,
      organizations,
      ownRecord: new OwnRecord(manifest.name, listOwnUrls(options.urls, process.env)),
      hostSecret: options.hostSecret,
      publicUrl: options.publicUrl,
      cache: options.cache ?? openMemoryCache(),
      queue: this.#queue,
      instrumentation: options.instrumentation ?? [],
      serviceCalls: this.#serviceCalls,
      logShipping: this.#logShipping,
    });
    const reader = new NotificationReader({
      brand: createBrand(clientConfig.brand),
      organizations,
      skipSignatureValidation: options.skipSignatureValidation ?? false,
    });
    const contexts = new RequestContexts(factory, reader, options.hostSecret);
    this.#parts = { factory, reader, contexts, extracts: new Extracts({ factory, queue: this.#queue, organizations }) };
  }

  /**
   * Adds the manifest, the readme, static files, pages, and every endpoint that the manifest declares with a handler to
   * the application. Add your own routes after this call.
   */
  setupApp(app: Express): Express {
    const { handlers = {}, segmentFilterSetting } = this.#options;
    const { manifest, directory } = this.#manifestFile;
    app.disable("x-powered-by");
    app.engine("html", ejs.renderFile);
    app.set("views", join(directory, "views"));
    app.use(timeOut(this.#timeoutMs));
    app.use(staticRouter(this.#manifestFile));
    app.get("/views/:page.html", ...this.htmlHandler(renderPage));
    const allowCrossOrigin = this.#allowCrossOrigin;
    const parts = { ...this.#parts, openOAuth: (options: OAuthOptions) => this.oAuthHandler(options) };
    app.use(wireManifest(manifest, handlers, parts, { segmentFilterSetting, allowCrossOrigin }));
    // Not awaited: the worker handles its own errors, and the endpoints do not need it.
    void this.#parts.extracts.startWorker();
    return app;
  }

  /**
   * The whole connector as a function for an HTTP server of yours, for example one that serves several connectors.
   *
   * @example
   * createServer(connector.requestListener()).listen("/run/crm.sock");
   */
  requestListener(): RequestListener {
    const app = this.setupApp(express());
    app.use(answerUnhandled);
    return app;
  }

  /** Adds the last error handler, and listens. */
  startApp(app: Express): Server {
    const { port = DEFAULT_PORT, host = process.env.HOST || DEFAULT_HOST } = this.#options;
    if (this.#organizations.isEmpty) {
      const advice = "Set ORGANIZATIONS, for example ORGANIZATIONS=localhost:8080 for a Muster on this machine.";
      process.emitWarning(`The connector serves no organization, so it refuses every call. ${advice}`);
    }
    app.use(answerUnhandled);
    const server = createServer(SERVER_LIMITS, app).listen(Number(port), host);
    server.maxConnections = MAX_CONNECTIONS;
    server.setTimeout(this.#timeoutMs * 2);
    this.#servers.add(server);
    return server;
  }

  /**
   * Middleware for your own endpoint that receives notifications and the files of extracts.
   *
   * @example
   * app.use("/smart-notifier", connector.notificationHandler({ "user:update": (ctx, messages) => send(messages) }));
   */
  notificationHandler(handlers: NotificationHandlers, options: NotificationOptions = {}): Router {
    const { segmentFilterSetting } = this.#options;
    const channels = Object.entries(handlers).map(([channel, handler]) => ({
      channel,
      // The parameter gives each channel the type of its messages. A map of all channels cannot hold that type.
      handler: handler as AnyMessageHandler,
    }));
    return notificationHandler(
      this.#parts,
      new Map(
        channels.map(({ channel, handler }) => [channel, { handler, options: { segmentFilterSetting, ...options } }]),
      ),
    );
  }

  /** Middleware for your own page: `app.get("/admin", ...connector.htmlHandler(show))`. */
  htmlHandler(handle: EndpointHandler, options: HandlerOptions = {}): RequestHandler[] {
    return requestHandler(this.#parts.contexts, handle, { format: "html", ...options }, { isForPages: true });
  }

  /** Middleware for your own endpoint that answers pages with JSON: `app.all("/lists", ...connector.jsonHandler(lists))`. */
  jsonHandler(handle: EndpointHandler, options: HandlerOptions = {}): RequestHandler[] {
    const answer = requestHandler(this.#parts.contexts, handle, options, { isForPages: true });
    return [this.#allowCrossOrigin, ...answer];
  }

  /** Middleware for your own webhooks, schedules and statuses. */
  incomingHandler(handle: EndpointHandler, options: HandlerOptions = {}): RequestHandler[] {
    return requestHandler(this.#parts.contexts, handle, options);
  }

  /**
   * Routes by which a person authorizes the connector with a third party.
   *
   * @example
   * app.use("/auth", connector.oAuthHandler({ name: "CRM", Strategy, options, views }));
   */
  oAuthHandler(options: OAuthOptions): Router {
    const { hostSecret } = this.#options;
    if (hostSecret === undefined) throw new Error("The OAuth handler needs the option `hostSecret`.");
    const parts: OAuthParts = {
      contextOf: (request) => this.contextOf(request),
      contextForUse: (request, token, use) => this.#parts.contexts.openForUse(request, token, use),
      signToken: ({ client }, use) => signRequestToken(client.configuration(), use, hostSecret, Date.now()),
    };
    return oAuthRouter(parts, options);
  }

  /** The context of a request to your own route. Rejects when the request has no credentials that Muster accepts. */
  contextOf(request: Request): Promise<Context> {
    return this.#parts.contexts.open(request, FROM_QUERY_OR_PAGE);
  }

  /** A context without a request: for scripts, and for webhooks whose credentials you store yourself. */
  contextFor(credentials: Credentials): Promise<Context> {
    return this.#parts.factory.create(credentials);
  }

  /** Runs the jobs of a queue in this process. Default: the `jobs` of the handlers, in the default queue. */
  async startWorker(
    queueName = DEFAULT_QUEUE,
    jobs: Readonly<Record<string, JobHandler>> = this.#options.handlers?.jobs ?? {},
  ): Promise<void> {
    await this.#queue.process(queueName, (job) => runJob(this.#parts.factory, jobs, job));
  }

  /** Stops listening, waits until running jobs and requests have finished, and closes the queue. */
  async close(): Promise<void> {
    await Promise.all(
      [...this.#servers].map((server) => {
        server.closeIdleConnections();
        return new Promise<void>((resolve) => server.close(() => resolve()));
      }),
    );
    this.#servers.clear();
    await this.#queue.close();
    await this.#serviceCalls.settled();
    await this.#logShipping?.settled();
  }
}

function warnOfWeakness({ hostSecret, skipSignatureValidation }: ConnectorOptions): void {
  if (hostSecret !== undefined && hostSecret.length < LEAST_SECRET_LENGTH) {
    const advice = `give ${LEAST_SECRET_LENGTH} random characters or more`;
    process.emitWarning(`The host secret is so short that a holder of a token could guess it: ${advice}.`);
  }
  if (skipSignatureValidation) {
    process.emitWarning("Signatures of notifications are not checked: anybody can send them. This is for tests only.");
  }
}

/** Express recognises an error handler by its four parameters. */
const answerUnhandled: ErrorRequestHandler = (error: unknown, _request, response, _next) =>
  answerError(response, error);

const renderPage: EndpointHandler = ({ connector, segments, accountsSegments, token, client }, { params, query }) => {
  const page = String(params.page);
  if (!PAGE_NAME.test(page)) return reply(404, "There is no such page.");
  return view(`${page}.html`, {
    connector,
    segments,
    accountsSegments,
    token,
    organization: client.configuration().organization,
    query,
  });
};
