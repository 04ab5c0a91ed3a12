import { type Brand, typeOfId } from "@muster/protocol";
import type { Attributes } from "../audience/attributes.js";
import type { Charts } from "../audience/charts.js";
import type { Entities } from "../audience/entities.js";
import type { Search } from "../audience/search.js";
import type { Segments } from "../audience/segments.js";
import type { Subjects } from "../audience/subjects.js";
import type { ConnectorWorks } from "../connectors/connector-works.js";
import type { Jobs } from "../jobs/jobs.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import type { Addresses } from "../runtime/addresses.js";
import type { Metrics } from "../runtime/metrics.js";
import { VERSION } from "../runtime/version.js";
import type { ConnectorStore } from "../storage/postgres/connectors/connectors.js";
import type { Database } from "../storage/postgres/database.js";
import type { Questions } from "../storage/questions/questions.js";
import type { App } from "./app-type.js";
import type { AuthenticateOptions } from "./auth/authenticate.js";
import type { Caller } from "./auth/caller.js";
import { requireUsableBody } from "./hooks/usable-input.js";
import { waitForPosition } from "./hooks/wait-for-position.js";
import { describeApi } from "./reference/openapi.js";
import { attributeRoutes } from "./routes/audience/attributes.js";
import { chartRoutes } from "./routes/audience/charts.js";
import { commentObjects, commentRoutes } from "./routes/audience/comments.js";
import { entityObjects, entityRoutes } from "./routes/audience/entities.js";
import { eventBootstrapRoutes } from "./routes/audience/event-bootstrap.js";
import { findMe, meRoutes } from "./routes/audience/me.js";
import { searchRoutes } from "./routes/audience/search.js";
import { segmentObjects, segmentRoutes } from "./routes/audience/segments.js";
import { accountObjects, eventObjects, reportRoutes, userObjects } from "./routes/audience/subjects.js";
import { catalogueRoutes } from "./routes/connectors/catalogue.js";
import { connectorLogRoutes } from "./routes/connectors/connector-logs.js";
import { connectorObjects } from "./routes/connectors/connector-objects.js";
import { connectorPageRoutes } from "./routes/connectors/connector-pages.js";
import { connectorRoutes } from "./routes/connectors/connectors.js";
import { keyRoutes } from "./routes/connectors/keys.js";
import { scheduleRoutes } from "./routes/connectors/schedules.js";
import { statusRoutes } from "./routes/connectors/status.js";
import { deadLetterRoutes } from "./routes/deliveries/dead-letters.js";
import { deliveryRoutes } from "./routes/deliveries/deliveries.js";
import { gatewayRoutes } from "./routes/ingestion/gateway.js";
import { ingestionRoutes } from "./routes/ingestion/ingestion.js";
import { trackingRoutes } from "./routes/ingestion/tracking.js";
import { downloadRoutes } from "./routes/jobs/downloads.js";
import { exportRoutes } from "./routes/jobs/exports.js";
import { extractRoutes } from "./routes/jobs/extract.js";
import { importRoutes } from "./routes/jobs/import.js";
import { jobObjects, jobRoutes } from "./routes/jobs/jobs.js";
import { uploadRoutes } from "./routes/jobs/uploads.js";
import { type ObjectHandlers, objectRoutes } from "./routes/objects.js";
import { healthRoutes } from "./routes/operations/health.js";
import { metricsRoutes } from "./routes/operations/metrics.js";
import { rebuildRoutes } from "./routes/operations/rebuild.js";
import { referenceRoutes } from "./routes/operations/reference.js";
import { organizationObjects, organizationRoutes } from "./routes/organizations/organizations.js";
import { deploymentObjects, platformObjects } from "./routes/platforms/platform-objects.js";
import { platformRoutes } from "./routes/platforms/platforms.js";

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
  await referenceRoutes(app);
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
