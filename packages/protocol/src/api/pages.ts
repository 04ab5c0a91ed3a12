import { type Static, Type } from "typebox";
import { PageRecord } from "./entries.js";
import { RefusedAttribute } from "./ingestion.js";
import { Deployment, Platform, platformParams as params } from "./platforms.js";
import { anyObjectAs, anyValueAs, freeObject, mapOf } from "./schema.js";
import { Settings } from "./settings.js";
import { Me, SignedInUser } from "./subjects.js";

const MAX_RECORDS = 500;

/** The form of the ids of browsers and of visits. */
export const BROWSER_ID = /^[A-Za-z0-9._~-]{1,128}$/;

const browserId = (description: string) => Type.String({ pattern: BROWSER_ID.source, description });
const host = (description: string) =>
  Type.String({ pattern: "^(?:[A-Za-z0-9._-]+|\\[[0-9a-fA-F:.]+\\])(?::[0-9]{1,5})?$", maxLength: 260, description });
const optionalText = (description: string) => Type.Optional(Type.String({ maxLength: 4_096, description }));
const moment = (description: string) => Type.Union([Type.String(), Type.Number()], { description });

const Visitor = Type.Object({
  bid: browserId("The id of the browser: the visitor's anonymous id."),
  sid: browserId("The id of the visit."),
  access_token: Type.Optional(Type.String({ description: "A user's token, when the visitor is signed in." })),
});
/** What every call of the browser library says about the visitor. */
export type Visitor = Static<typeof Visitor>;

export const PageConfig = Type.Object(
  {
    org: Type.Object({ id: Type.String(), namespace: Type.String(), name: Type.String() }),
    app: Platform,
    deployments: Type.Array(Deployment),
    carries_to: Type.Array(Type.String(), {
      description: "The domains of the organization's platforms: links to them carry the id of the visitor.",
    }),
    services: Type.Object({
      settings: mapOf(freeObject("Its settings."), "The settings of each service that pages may read, by its name."),
      types: mapOf(Type.Array(Type.String()), "The names of services, by the tags of their manifests."),
    }),
  },
  { component: "PageConfig", description: "It is the same for every visitor." },
);

/** What the browser library calls, and the old one (0.10) before it. */
export const PAGES_API = {
  "GET /js/{version}/muster.js": {
    params: Type.Object({
      version: Type.String({ description: "A released version, the version of the server, or `latest`." }),
    }),
    response: { 200: { description: "The script.", content: { "text/javascript": { schema: Type.String() } } } },
  },
  "GET /analytics.js/v1/{key}/analytics.min.js": {
    params: Type.Object({ key: Type.String({ description: "A write key of the kind `page`." }) }),
    response: { 200: { description: "The script.", content: { "text/javascript": { schema: Type.String() } } } },
  },
  "GET /api/v1/{id}/page": { params, response: { 200: PageConfig } },
  "POST /api/v1/{id}/me": { params, body: Visitor, response: { 200: anyValueAs(Me) } },
  "POST /api/v1/{id}/login": {
    params,
    body: Type.Object({
      ...Visitor.properties,
      url: optionalText("The page on which the visitor signs in."),
    }),
    response: { 200: anyObjectAs(SignedInUser) },
  },
  "POST /api/v1/{id}/records": {
    params,
    body: Type.Object({
      ...Visitor.properties,
      timestamp: Type.Optional(moment("When the records were put together.")),
      sentAt: moment("When it was sent, by the page's clock."),
      batch: Type.Array(anyValueAs(PageRecord), { maxItems: MAX_RECORDS }),
    }),
    response: {
      200: Type.Object({
        position: Type.String(),
        accepted: Type.Integer({ description: "How many records were accepted." }),
        rejected: Type.Array(Type.Object({ index: Type.Integer(), code: Type.String(), message: Type.String() })),
        refused_attributes: Type.Array(Type.Object({ index: Type.Integer(), ...RefusedAttribute.properties }), {
          description:
            "New attributes of accepted records that are not applied, because end users have defined as many as they may. The other attributes of the record are.",
        }),
      }),
    },
  },
  "POST /api/v1/{id}/carry": {
    params,
    body: Type.Object({
      bid: Visitor.properties.bid,
      to: host("The host that the link leads to, with its port."),
      access_token: Type.Optional(
        Type.String({ maxLength: 1_000, description: "The token of the user who is signed in, to sign in there too." }),
      ),
    }),
    response: {
      200: Type.Object({
        carried: Type.String({ description: "For the query string of the link." }),
        expires_in: Type.Integer({ description: "Seconds." }),
      }),
    },
  },
  "POST /api/v1/{id}/arrive": {
    params,
    body: Type.Object({
      carried: Type.String({ maxLength: 2_048, description: "What the link has carried." }),
      from: host("The host of the page before, with its port, as the browser says (`document.referrer`)."),
    }),
    response: {
      200: Type.Object({
        bid: Visitor.properties.bid,
        access_token: Type.Optional(
          Type.String({ description: "The token of the user who was signed in there, for the same browser only." }),
        ),
      }),
    },
  },
  "GET /api/v1/app/settings": { response: { 200: anyObjectAs(Settings) } },
  "GET /api/v1/{id}/remote.json": {
    params,
    response: {
      200: Type.Object({
        allowed_domains: Type.Array(Type.String()),
        app: Type.Object({
          ...Platform.properties,
          track_page_inits: Type.Boolean({ description: "Whether the library tracks that a page was opened." }),
          deployments: Type.Array(Deployment),
        }),
      }),
    },
  },
  "GET /api/v1/{id}/remote.html": {
    params,
    querystring: Type.Object(
      {
        js: optionalText("The address of the library's script, on a domain of the platform. Required."),
        url: optionalText("The page that the frame is in."),
        r: optionalText("Where the visitor came from."),
        access_token: optionalText("A user's token, when the visitor is signed in."),
        _bid: optionalText("The id of the browser."),
        _sid: optionalText("The id of the visit."),
      },
      { additionalProperties: true },
    ),
    response: { 200: { description: "A page.", content: { "text/html": { schema: Type.String() } } } },
  },
};
