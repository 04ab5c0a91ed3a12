import { Refusal } from "@muster/protocol";
import { defaultSettings, readManifest } from "@muster/protocol/manifest";
import { Type } from "typebox";
import { deploymentRecord, PLACEMENT_DEFAULTS, platformRecord } from "../../../platforms/deployment-record.js";
import type { ConnectorStore } from "../../../storage/postgres/connectors/connectors.js";
import type { Database } from "../../../storage/postgres/database.js";
import { createDeployment, listDeployments } from "../../../storage/postgres/objects/deployments.js";
import {
  createPlatform,
  findPlatform,
  listPlatforms,
  type Platform,
} from "../../../storage/postgres/objects/platforms.js";
import type { App } from "../../app-type.js";
import type { Caller } from "../../auth/caller.js";
import { requireDeploymentSettings } from "./platform-objects.js";

export interface PlatformRoutesOptions {
  database: Database;
  connectors: ConnectorStore;
}

const AnyObject = Type.Object({}, { additionalProperties: true });

const PlatformRecord = Type.Object({
  id: Type.String(),
  type: Type.Literal("platform"),
  name: Type.String(),
  domains: Type.Array(Type.String(), {
    description: "Hosts whose pages may use it; `*.example.com` for all under it.",
  }),
  settings: AnyObject,
  created_at: Type.String({ format: "date-time" }),
  updated_at: Type.String({ format: "date-time" }),
});

const DeploymentRecord = Type.Object(
  { id: Type.String(), type: Type.Literal("deployment"), settings: AnyObject, ship: AnyObject, platform: AnyObject },
  { additionalProperties: true, description: "Of the connector (`ship`) only what is public." },
);

/** Sites that the browser library runs on, and the connectors deployed there. */
export function platformRoutes(app: App, { database, connectors }: PlatformRoutesOptions): void {
  app.get(
    "/platforms",
    {
      config: { access: "connector" },
      schema: { tags: ["platforms"], summary: "List the platforms", response: { 200: Type.Array(PlatformRecord) } },
    },
    async ({ caller }) => (await listPlatforms(database, caller.organization.id)).map(platformRecord),
  );

  app.post(
    "/platforms",
    {
      config: { access: "operator" },
      schema: {
        tags: ["platforms"],
        summary: "Create a platform",
        body: Type.Object({
          name: Type.String({ minLength: 1, maxLength: 200 }),
          domains: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 253 }), { maxItems: 1_000 })),
          settings: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
        }),
        response: { 201: PlatformRecord },
      },
    },
    async ({ caller, body }, reply) => {
      const platform = await createPlatform(database, caller.organization.id, body);
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
        summary: "The connectors deployed on a platform, as pages get them",
        params: Type.Object({ id: Type.String({ description: "Platform id." }) }),
        response: { 200: Type.Array(DeploymentRecord) },
      },
    },
    async ({ caller, params }) => {
      const platform = await requirePlatform(database, params.id, caller);
      const { organization } = caller;
      const deployments = await listDeployments(database, organization.id, { platformId: platform.id });
      const deployed = new Map((await connectors.list(organization.id)).map((connector) => [connector.id, connector]));
      return deployments.flatMap((deployment) => {
        const connector = deployed.get(deployment.connectorId);
        return connector?.enabled ? [deploymentRecord(deployment, connector, platform, organization)] : [];
      });
    },
  );

  app.post(
    "/:id/deployments",
    {
      config: { access: "operator" },
      schema: {
        tags: ["platforms"],
        summary: "Deploy a connector on a platform",
        params: Type.Object({ id: Type.String({ description: "Platform id." }) }),
        body: Type.Object({
          connector_id: Type.String(),
          settings: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
        }),
        response: { 201: DeploymentRecord },
      },
    },
    async ({ caller, params, body }, reply) => {
      const platform = await requirePlatform(database, params.id, caller);
      const connector = await connectors.find(caller.organization.id, body.connector_id);
      const declared = readManifest(connector?.manifest).deployment_settings;
      const settings = body.settings ?? {};
      requireDeploymentSettings(declared, settings);
      const deployment = await createDeployment(database, caller.organization.id, {
        platformId: platform.id,
        connectorId: body.connector_id,
        settings: { ...PLACEMENT_DEFAULTS, ...defaultSettings(declared), ...settings },
      });
      if (!connector || !deployment) throw new Refusal("not_found", `There is no connector "${body.connector_id}".`);
      reply.status(201);
      return deploymentRecord(deployment, connector, platform, caller.organization);
    },
  );
}

async function requirePlatform(database: Database, id: string, { organization }: Caller): Promise<Platform> {
  const platform = await findPlatform(database, organization.id, id);
  if (!platform) throw new Refusal("not_found", `There is no platform "${id.slice(0, 100)}".`);
  return platform;
}
