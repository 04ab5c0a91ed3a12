import { type Static, Type } from "typebox";
import { PageQuery } from "./paging.js";
import { anyObjectAs, anyValueAs, nullable } from "./schema.js";
import { Manifest, Settings } from "./settings.js";
import { AttributeValue, Time } from "./values.js";

export const Platform = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("platform"),
    name: Type.String(),
    domains: Type.Array(Type.String(), {
      description: "Hosts whose pages may use it; `*.example.com` for all hosts under it.",
    }),
    settings: anyObjectAs(Settings),
    created_at: Time,
    updated_at: Time,
  },
  { component: "Platform", description: "A website or app that uses the browser library." },
);
export type Platform = Static<typeof Platform>;

const ListedPlatform = Type.Object({
  ...Platform.properties,
  last_record_at: nullable(Time, {
    description: "When the last record came from one of its pages, to within some seconds.",
  }),
});
export type ListedPlatform = Static<typeof ListedPlatform>;

export const PlatformChange = Type.Object(
  {
    name: Type.Optional(Type.String()),
    domains: Type.Optional(Type.Array(Type.String())),
    settings: Type.Optional(Settings),
  },
  {
    component: "PlatformChange",
    description: "Of a platform, by the operator: settings are merged, the rest is replaced.",
  },
);
export type PlatformChange = Static<typeof PlatformChange>;

export const Deployment = Type.Object(
  {
    id: Type.String(),
    type: Type.Literal("deployment"),
    settings: anyObjectAs(Settings),
    ship: Type.Object(
      {
        id: Type.String(),
        name: Type.String(),
        manifest: anyObjectAs(Manifest),
        settings: anyObjectAs(Settings),
        resources: anyValueAs(AttributeValue),
        translations: anyValueAs(AttributeValue),
        manifest_url: nullable(Type.String()),
        index: nullable(Type.String(), { description: "The script to load on the page." }),
        purposes: Type.Array(Type.String(), {
          description: "It is embedded only for visitors who have agreed to all of these purposes.",
        }),
      },
      { description: "What is public of the connector." },
    ),
    platform: Platform,
    organization: Type.Object({ id: Type.String(), namespace: Type.String(), name: Type.String() }),
    created_at: Time,
    updated_at: Time,
  },
  { additionalProperties: true, component: "Deployment", description: "A connector on a platform, for web pages." },
);
export type Deployment = Static<typeof Deployment>;

export const DeploymentChange = Type.Object(
  { settings: Settings },
  { component: "DeploymentChange", description: "Of a deployment, by the operator: settings are merged." },
);

const Snippet = Type.Object({
  html: Type.String({ description: "A script tag for the head of every page. The script is of this very version." }),
  latest_html: Type.String({ description: "The same, for a script that changes when the server is upgraded." }),
  version: Type.String(),
  src: Type.String(),
  integrity: Type.String({ description: "The browser refuses a script that does not have this digest." }),
});
export type Snippet = Static<typeof Snippet>;

export const platformParams = Type.Object({ id: Type.String({ description: "Platform id." }) });

export const PLATFORMS_API = {
  "GET /api/v1/platforms": { querystring: PageQuery, response: { 200: Type.Array(ListedPlatform) } },
  "POST /api/v1/platforms": {
    body: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 200 }),
      domains: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 253 }), { maxItems: 1_000 })),
      settings: Type.Optional(anyObjectAs(Settings)),
    }),
    response: { 201: Platform },
  },
  "GET /api/v1/{id}/deployments": {
    params: platformParams,
    querystring: PageQuery,
    response: { 200: Type.Array(Deployment) },
  },
  "POST /api/v1/{id}/deployments": {
    params: platformParams,
    body: Type.Object({ connector_id: Type.String(), settings: Type.Optional(anyObjectAs(Settings)) }),
    response: { 201: Deployment },
  },
  "GET /api/v1/{id}/snippet": { params: platformParams, response: { 200: Snippet } },
};
