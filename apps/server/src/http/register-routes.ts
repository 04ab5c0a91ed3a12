import { typeOfId } from "@muster/protocol";
import type { Organizations } from "../organizations/organizations.js";
import { VERSION } from "../runtime/version.js";
import type { App } from "./app-type.js";
import { requireUsableBody } from "./hooks/usable-input.js";
import { waitForPosition } from "./hooks/wait-for-position.js";
import { describeApi } from "./reference/openapi.js";
import { type AudienceRoutesOptions, audienceObjects, audienceRoutes } from "./routes/audience/audience-routes.js";
import { findMe } from "./routes/audience/find-me.js";
import {
  type ConnectorsRoutesOptions,
  connectorsObjects,
  connectorsRoutes,
} from "./routes/connectors/connectors-routes.js";
import { type DeliveriesRoutesOptions, deliveriesRoutes } from "./routes/deliveries/deliveries-routes.js";
import { publicKeyRoutes } from "./routes/deliveries/keys.js";
import { gatewayRoutes } from "./routes/ingestion/gateway.js";
import { type IngestionRoutesOptions, ingestionRoutes } from "./routes/ingestion/ingestion-routes.js";
import { type JobsRoutesOptions, jobFileRoutes, jobsObjects, jobsRoutes } from "./routes/jobs/jobs-routes.js";
import type { FindMe, ObjectExists, ObjectHandlers } from "./routes/object-handler.js";
import { objectRoutes } from "./routes/objects.js";
import {
  type OperationsRoutesOptions,
  operationsRoutes,
  operatorRoutes,
} from "./routes/operations/operations-routes.js";
import { organizationObjects, organizationRoutes } from "./routes/organizations/organizations.js";
import { type PlatformsRoutesOptions, platformsObjects, platformsRoutes } from "./routes/platforms/platforms-routes.js";

/** The services that routes call. Each folder of routes declares the ones it needs. */
export interface RoutesOptions
  extends Omit<AudienceRoutesOptions, "findMe" | "objectExists">,
    ConnectorsRoutesOptions,
    Omit<DeliveriesRoutesOptions, "objectExists">,
    IngestionRoutesOptions,
    JobsRoutesOptions,
    OperationsRoutesOptions,
    PlatformsRoutesOptions {
  organizations: Organizations;
  gateway: { limitBytes: number; limitEntries: number };
}

const API = "/api/v1";

/** Registers every route of the server. */
export async function registerRoutes(app: App, services: RoutesOptions): Promise<void> {
  const { brand, pipeline } = services;
  const handlers: ObjectHandlers = {
    organization: organizationObjects(),
    ...connectorsObjects(services),
    ...jobsObjects(services),
    ...audienceObjects(services),
    ...platformsObjects(services),
  };
  const findMyId: FindMe = async (caller) => (await findMe(services.audience.subjects, caller))?.id;
  const objectExists: ObjectExists = async (id, caller) => {
    const type = typeOfId(id);
    return Boolean(type && (await handlers[type]?.read?.(id, caller)));
  };

  await describeApi(app, { version: VERSION, brand });
  await operationsRoutes(app, services);
  waitForPosition(app, pipeline, brand);
  gatewayRoutes(app, { intake: pipeline.intake, brand, ...services.gateway });
  await publicKeyRoutes(app, services.signer);
  await app.register(
    async (api: App) => {
      api.addHook("preValidation", requireUsableBody);
      organizationRoutes(api, services.organizations);
      connectorsRoutes(api, services);
      deliveriesRoutes(api, { ...services, objectExists });
      platformsRoutes(api, services);
      jobsRoutes(api, services);
      ingestionRoutes(api, services);
      operatorRoutes(api, services);
      audienceRoutes(api, { ...services, findMe: findMyId, objectExists });
      objectRoutes(api, { brand, handlers, findMe: findMyId });
    },
    { prefix: API },
  );
  await jobFileRoutes(app, API, services);
}
