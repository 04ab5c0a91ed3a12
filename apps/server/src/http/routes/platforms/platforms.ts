import { type Brand, Refusal } from "@muster/protocol";
import { PLATFORMS_API } from "@muster/protocol/api/platforms";
import type { PlatformServices } from "../../../platforms/open-platforms.js";
import { platformRecord } from "../../../platforms/platform-record.js";
import type { App } from "../../app-type.js";
import type { PageLimits } from "../../hooks/page-limits.js";
import { pageOfAll } from "../pagination.js";
import { requirePlatform } from "./require-platform.js";

export interface PlatformRoutesOptions extends PlatformServices {
  brand: Brand;
  limits: PageLimits;
}

/** The sites that the browser library runs on, and the connectors deployed there. */
export function platformRoutes(app: App, { platforms, deployments, brand, limits }: PlatformRoutesOptions): void {
  app.get(
    "/platforms",
    {
      config: { access: "connector" },
      schema: {
        tags: ["platforms"],
        summary: "List the platforms",
        ...PLATFORMS_API["GET /api/v1/platforms"],
      },
    },
    async (request, reply) => {
      const all = await platforms.list(request.caller.organization.id);
      return pageOfAll(request, reply, brand, request.query, all).map((platform) => ({
        ...platformRecord(platform),
        last_record_at: platform.lastRecordAt?.toISOString() ?? null,
      }));
    },
  );

  app.post(
    "/platforms",
    {
      config: { access: "operator" },
      schema: {
        tags: ["platforms"],
        summary: "Create a platform",
        ...PLATFORMS_API["POST /api/v1/platforms"],
      },
    },
    async ({ caller, body }, reply) => {
      const platform = await platforms.create(caller.organization.id, body);
      reply.status(201);
      return platformRecord(platform);
    },
  );

  app.get(
    "/:id/deployments",
    {
      config: { access: "anyone" },
      schema: {
        tags: ["platforms"],
        summary: "The connectors deployed on a platform, in the form for web pages",
        ...PLATFORMS_API["GET /api/v1/{id}/deployments"],
      },
    },
    async (request, reply) => {
      const { caller, params, query } = request;
      if (caller.kind === "anonymous") limits.countAddress(request);
      const platform = await requirePlatform(platforms, params.id, caller);
      return pageOfAll(request, reply, brand, query, await deployments.list(caller.organization, platform));
    },
  );

  app.post(
    "/:id/deployments",
    {
      config: { access: "operator" },
      schema: {
        tags: ["platforms"],
        summary: "Deploy a connector on a platform",
        ...PLATFORMS_API["POST /api/v1/{id}/deployments"],
      },
    },
    async ({ caller, params, body }, reply) => {
      const platform = await requirePlatform(platforms, params.id, caller);
      const { connector_id: connectorId, settings = {} } = body;
      const deployment = await deployments.create(caller.organization, platform, { connectorId, settings });
      if (!deployment) throw new Refusal("not_found", `There is no connector "${connectorId}".`);
      reply.status(201);
      return deployment;
    },
  );
}
