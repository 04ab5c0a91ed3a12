import type { Server } from "node:http";
import { join } from "node:path";
import { createBrand } from "@muster/protocol";
import ejs from "ejs";
import type { ErrorRequestHandler, Express, Request, RequestHandler, Router } from "express";
import { allowCrossOrigin } from "./app/allow-cross-origin.js";
import { answerError } from "./app/answer-error.js";
import { staticRouter } from "./app/static-router.js";
import { timeOut } from "./app/time-out.js";
import { openMemoryCache } from "./cache/memory-cache.js";
import type { ConnectorOptions } from "./connector-options.js";
import type { Context } from "./context/context.js";
import { ContextFactory } from "./context/context-factory.js";
import type { Credentials } from "./context/credentials.js";
import { RequestContexts } from "./context/request-contexts.js";
import { parseDuration } from "./duration.js";
import type { JobHandler } from "./handlers/connector-handlers.js";
import { view } from "./handlers/reply.js";
import { type EndpointHandler, type HandlerOptions, requestHandler } from "./handlers/request-handler.js";
import { wireManifest } from "./handlers/wire-manifest.js";
import { LogShipping } from "./logging/log-shipping.js";
import { connectorNameOf, type ManifestFile, openManifest } from "./manifest-file.js";
import { type NotificationHandlerParts, notificationHandler } from "./notifications/notification-handler.js";
import type {
  AnyMessageHandler,
  NotificationHandlers,
  NotificationOptions,
} from "./notifications/notification-options.js";
import { NotificationReader } from "./notifications/notification-reader.js";
import { type OAuthOptions, oAuthRouter } from "./oauth/oauth-router.js";
import { MemoryQueue } from "./queue/memory-queue.js";
import { DEFAULT_QUEUE, type QueueAdapter } from "./queue/queue-adapter.js";
import { runJob } from "./queue/run-job.js";

const DEFAULT_PORT = 8082;
const DEFAULT_TIMEOUT = "25s";
const FROM_QUERY = { fromQuery: true, fromNotification: false };

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
  readonly #parts: NotificationHandlerParts;
  readonly #servers = new Set<Server>();

  constructor(options: ConnectorOptions = {}) {
    this.#options = options;
    this.#manifestFile = openManifest(options.manifest, options.directory);
    this.#timeoutMs = parseDuration(options.timeout ?? DEFAULT_TIMEOUT);
    this.#queue = options.queue ?? new MemoryQueue();
    this.#logShipping = options.sendErrorLogs ? new LogShipping() : undefined;
    const { manifest } = this.#manifestFile;
    const clientConfig = options.clientConfig ?? {};
    const factory = new ContextFactory({
      clientConfig,
      connectorName: options.connectorName ?? connectorNameOf(manifest),
      connectorVersion: manifest.version,
      hostSecret: options.hostSecret,
      cache: options.cache ?? openMemoryCache(),
      queue: this.#queue,
      instrumentation: options.instrumentation ?? [],
      logShipping: this.#logShipping,
    });
    const reader = new NotificationReader({
      brand: createBrand(clientConfig.brand),
      skipSignatureValidation: options.skipSignatureValidation ?? false,
    });
    this.#parts = { factory, reader, contexts: new RequestContexts(factory, reader, options.hostSecret) };
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
    app.use(wireManifest(manifest, handlers, this.#parts, { segmentFilterSetting }));
    return app;
  }

  /** Adds the last error handler, and listens. */
  startApp(app: Express): Server {
    app.use(answerUnhandled);
    const server = app.listen(this.#options.port ?? DEFAULT_PORT);
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
    return requestHandler(this.#parts.contexts, handle, { format: "html", ...options });
  }

  /** Middleware for your own endpoint that answers JSON to any origin: `app.all("/lists", ...connector.jsonHandler(lists))`. */
  jsonHandler(handle: EndpointHandler, options: HandlerOptions = {}): RequestHandler[] {
    return [allowCrossOrigin, ...requestHandler(this.#parts.contexts, handle, options)];
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
    if (this.#options.hostSecret === undefined) throw new Error("The OAuth handler needs the option `hostSecret`.");
    return oAuthRouter((request) => this.contextOf(request), options);
  }

  /** The context of a request to your own route. Rejects when the request has no credentials that Muster accepts. */
  contextOf(request: Request): Promise<Context> {
    return this.#parts.contexts.open(request, FROM_QUERY);
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
    await this.#logShipping?.settled();
  }
}

/** Express recognises an error handler by its four parameters. */
const answerUnhandled: ErrorRequestHandler = (error: unknown, _request, response, _next) =>
  answerError(response, error);

const renderPage: EndpointHandler = ({ connector, segments, accountsSegments, token, client }, { params, query }) =>
  view(`${params.page}.html`, {
    connector,
    segments,
    accountsSegments,
    token,
    organization: client.configuration().organization,
    query,
  });
