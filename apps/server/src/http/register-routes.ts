import { type Brand, typeOfId } from "@muster/protocol";
import type { Addresses } from "../addresses.js";
import type { Attributes } from "../audience/attributes.js";
import type { Charts } from "../audience/charts.js";
import type { Entities } from "../audience/entities.js";
import type { Search } from "../audience/search.js";
import type { Segments } from "../audience/segments.js";
import type { Subjects } from "../audience/subjects.js";
import type { ConnectorWorks } from "../connectors/connector-works.js";
import type { Jobs } from "../jobs/jobs.js";
import type { Metrics } from "../metrics.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import type { ConnectorStore } from "../storage/postgres/connectors.js";
import type { Database } from "../storage/postgres/database.js";
import type { Questions } from "../storage/questions/questions.js";
import { VERSION } from "../version.js";
import type { App } from "./app-type.js";
import type { AuthenticateOptions } from "./authenticate.js";
import type { Caller } from "./caller.js";
import { connectorObjects } from "./connector-objects.js";
import { describeApi } from "./openapi.js";
import { deploymentObjects, platformObjects } from "./platform-objects.js";
import { attributeRoutes } from "./routes/attributes.js";
import { catalogueRoutes } from "./routes/catalogue.js";
import { chartRoutes } from "./routes/charts.js";
import { commentObjects, commentRoutes } from "./routes/comments.js";
import { connectorLogRoutes } from "./routes/connector-logs.js";
import { connectorPageRoutes } from "./routes/connector-pages.js";
import { connectorRoutes } from "./routes/connectors.js";
import { deadLetterRoutes } from "./routes/dead-letters.js";
import { deliveryRoutes } from "./routes/deliveries.js";
import { downloadRoutes } from "./routes/downloads.js";
import { entityObjects, entityRoutes } from "./routes/entities.js";
import { eventBootstrapRoutes } from "./routes/event-bootstrap.js";
import { exportRoutes } from "./routes/exports.js";
import { extractRoutes } from "./routes/extract.js";
import { gatewayRoutes } from "./routes/gateway.js";
import { healthRoutes } from "./routes/health.js";
import { importRoutes } from "./routes/import.js";
import { ingestionRoutes } from "./routes/ingestion.js";
import { jobObjects, jobRoutes } from "./routes/jobs.js";
import { keyRoutes } from "./routes/keys.js";
import { findMe, meRoutes } from "./routes/me.js";
import { metricsRoutes } from "./routes/metrics.js";
import { type ObjectHandlers, objectRoutes } from "./routes/objects.js";
import { organizationObjects, organizationRoutes } from "./routes/organizations.js";
import { platformRoutes } from "./routes/platforms.js";
import { rebuildRoutes } from "./routes/rebuild.js";
import { referenceRoutes } from "./routes/reference.js";
import { scheduleRoutes } from "./routes/schedules.js";
import { searchRoutes } from "./routes/search.js";
import { segmentObjects, segmentRoutes } from "./routes/segments.js";
import { statusRoutes } from "./routes/status.js";
import { accountObjects, eventObjects, reportRoutes, userObjects } from "./routes/subjects.js";
import { trackingRoutes } from "./routes/tracking.js";
import { uploadRoutes } from "./routes/uploads.js";
import { requireUsableBody } from "./usable-input.js";
import { waitForPosition } from "./wait-for-position.js";

export interface RoutesOptions {
  database: Database;
  questions: Questions;
  connectors: ConnectorStore;
  works: ConnectorWorks;
  maxAttributes: number;
  connectorTimeoutMs: number;
  brand: Brand;
  metrics: Metrics;
  metricsToken: string | undefined;
  addresses: Addresses;
  authentication: AuthenticateOptions;
  pipeline: Pipeline;
  jobs: Jobs;
  subjects: Subjects;
  search: Search;
  segments: Segments;
  attributes: Attributes;
  entities: Entities;
  charts: Charts;
  gateway: { limitBytes: number; limitEntries: number };
}

/** Every route of the server, in one place. */
export async function registerRoutes(app: App, options: RoutesOptions): Promise<void> {
  const { database, questions, connectors, works, brand, metrics, addresses, pipeline, subjects, search, segments } =
    options;
  const { jobs } = options;
  const { intake } = pipeline;
  const handlers: ObjectHandlers = {
    organization: organizationObjects(),
    connector: connectorObjects(database, connectors, works),
    comment: commentObjects(database),
    job: jobObjects({ database, jobs }),
    user: userObjects({ subjects, intake }),
    account: accountObjects({ subjects, intake }),
    event: eventObjects(questions),
    platform: platformObjects(database),
    deployment: deploymentObjects(database, connectors),
    entity: entityObjects(options.entities),
    users_segment: segmentObjects(segments),
    accounts_segment: segmentObjects(segments),
  };
  const findMyId = async (caller: Caller) => (await findMe(subjects, caller))?.id;
  const objectExists = async (id: string, caller: Caller) => {
    const type = typeOfId(id);
    return Boolean(type && (await handlers[type]?.read?.(id, caller)));
  };

  await describeApi(app, { version: VERSION, brand });
  referenceRoutes(app);
  healthRoutes(app, { database, questions });
  waitForPosition(app, pipeline, brand);
  gatewayRoutes(app, { intake, brand, ...options.gateway });
  await keyRoutes(app, database);
  metricsRoutes(app, { registry: metrics.registry, token: options.metricsToken });
  await app.register(
    async (api: App) => {
      api.addHook("preValidation", requireUsableBody);
      organizationRoutes(api, database);
      connectorRoutes(api, { connectors, database, addresses, works });
      catalogueRoutes(api, database);
      connectorLogRoutes(api, { database, connectors, logs: works.logs, summaries: works.summaries, brand });
      connectorPageRoutes(api, {
        connectors,
        database,
        addresses,
        fetch: works.fetch,
        timeoutMs: options.connectorTimeoutMs,
      });
      deliveryRoutes(api, { database, connectors, brand, objectExists });
      deadLetterRoutes(api, {
        database,
        questions,
        maxAttributes: options.maxAttributes,
        brand,
        onQueued: (connectorIds) => works.wake(connectorIds),
      });
      exportRoutes(api, { database, connectors, jobs });
      platformRoutes(api, { database, connectors });
      scheduleRoutes(api, { database, connectors, brand });
      statusRoutes(api, { connectors, database, jobs });
      jobRoutes(api, { database, jobs, brand });
      importRoutes(api, jobs);
      extractRoutes(api, { database, jobs });
      commentRoutes(api, { database, brand, findMe: findMyId, objectExists });
      trackingRoutes(api, { intake, brand });
      meRoutes(api, { authentication: options.authentication, subjects, pipeline, database });
      ingestionRoutes(api, { database, intake, brand });
      rebuildRoutes(api, { database, questions, pipeline });
      reportRoutes(api, subjects);
      searchRoutes(api, { search, brand });
      eventBootstrapRoutes(api, { database, questions, brand });
      segmentRoutes(api, { segments, subjects, brand });
      attributeRoutes(api, { attributes: options.attributes, brand });
      chartRoutes(api, { charts: options.charts, attributes: options.attributes });
      entityRoutes(api, { entities: options.entities, connectors, brand });
      objectRoutes(api, { brand, handlers, findMe: findMyId });
    },
    { prefix: "/api/v1" },
  );
  // Their bodies are not JSON.
  await app.register(async (api: App) => uploadRoutes(api, jobs.imports), { prefix: "/api/v1" });
  await app.register(async (api: App) => downloadRoutes(api, { database, jobs }), { prefix: "/api/v1" });
}
