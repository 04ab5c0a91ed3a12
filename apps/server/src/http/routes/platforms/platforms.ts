import { type Brand, Refusal } from "@muster/protocol";
import { PageQuery } from "@muster/protocol/api/paging";
import { anyValueAs } from "@muster/protocol/api/schema";
import { AttributeValue } from "@muster/protocol/api/values";
import { Type } from "typebox";
import type { PlatformServices } from "../../../platforms/open-platforms.js";
import { platformRecord } from "../../../platforms/platform-record.js";
import type { App } from "../../app-type.js";
import { anyObjectAs } from "../../reference/named-schema.js";
import { pageOfAll } from "../pagination.js";
import { requirePlatform } from "./require-platform.js";

const Settings = anyObjectAs("Settings");

export const PlatformRecord = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("platform"),
    name: Type.String(),
    domains: Type.Array(Type.String(), {
      description: "Hosts whose pages may use it; `*.example.com` for all hosts under it.",
    }),
    settings: Settings,
    created_at: Type.String({ format: "date-time" }),
    updated_at: Type.String({ format: "date-time" }),
  },
  { component: "Platform", description: "A website or app that uses the browser library." },
);

const ListedPlatform = Type.Object({
  ...PlatformRecord.properties,
  last_record_at: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
    description: "When the last record came from one of its pages, to within some seconds.",
  }),
});

export const DeploymentRecord = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("deployment"),
    settings: Settings,
    ship: Type.Object(
      {
        id: Type.String(),
        name: Type.String(),
        manifest: anyObjectAs("Manifest"),
        settings: Settings,
        resources: anyValueAs(AttributeValue),
        translations: anyValueAs(AttributeValue),
        manifest_url: Type.Union([Type.String(), Type.Null()]),
        index: Type.Union([Type.String(), Type.Null()], { description: "The script to load on the page." }),
      },
      { description: "What is public of the connector." },
    ),
    platform: PlatformRecord,
    organization: Type.Object({ id: Type.String(), namespace: Type.String(), name: Type.String() }),
    created_at: Type.String({ format: "date-time" }),
    updated_at: Type.String({ format: "date-time" }),
  },
  { additionalProperties: true, component: "Deployment", description: "A connector on a platform, for web pages." },
);

export interface PlatformRoutesOptions extends PlatformServices {
  brand: Brand;
}

/** The sites that the browser library runs on, and the connectors deployed there. */
export function platformRoutes(app: App, { platforms, deployments, brand }: PlatformRoutesOptions): void {
  app.get(
    "/platforms",
    {
      config: { access: "connector" },
      schema: {
        tags: ["platforms"],
        summary: "List the platforms",
        querystring: PageQuery,
        response: { 200: Type.Array(ListedPlatform) },
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
        body: Type.Object({
          name: Type.String({ minLength: 1, maxLength: 200 }),
          domains: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 253 }), { maxItems: 1_000 })),
          settings: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { documentedAs: "Settings" })),
        }),
        response: { 201: PlatformRecord },
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
        params: Type.Object({ id: Type.String({ description: "Platform id." }) }),
        querystring: PageQuery,
        response: { 200: Type.Array(DeploymentRecord) },
      },
    },
    async (request, reply) => {
      const { caller, params, query } = request;
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
        params: Type.Object({ id: Type.String({ description: "Platform id." }) }),
        body: Type.Object({
          connector_id: Type.String(),
          settings: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { documentedAs: "Settings" })),
        }),
        response: { 201: DeploymentRecord },
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
