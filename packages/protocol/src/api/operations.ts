import { type Static, Type } from "typebox";
import { PageQuery } from "./paging.js";
import { anyObjectAs, mapOf, nullable } from "./schema.js";
import { AttributeValue } from "./values.js";

const MIN_PASSPHRASE_LENGTH = 8;

export const HealthCheck = Type.Object(
  {
    name: Type.String(),
    status: Type.Enum(["good", "late", "bad"]),
    message: Type.String({ description: "What was found." }),
    advice: Type.String({ description: "What to do about it. Empty when nothing is to be done." }),
  },
  { component: "HealthCheck", description: "One thing that the server needs, and how it is." },
);
export type HealthCheck = Static<typeof HealthCheck>;

export const Retention = Type.Object(
  {
    what: Type.String(),
    days: nullable(Type.Integer(), { description: "Null: until somebody deletes it." }),
    setting: nullable(Type.String(), { description: "The setting that changes it, if there is one." }),
  },
  { component: "Retention", description: "Something that is stored, and for how long." },
);
export type Retention = Static<typeof Retention>;

const Scope = Type.Object({
  all: Type.Optional(Type.Boolean({ description: "Every organization, not only this one." })),
});

const Rebuild = Type.Object({
  organization: Type.String({ description: "The organization's namespace." }),
  phase: Type.Enum(["requested", "documents", "events", "done", "none"], {
    description: "`none` when no rebuild was ever requested.",
  }),
  documents: Type.Integer({ description: "Users and accounts written so far." }),
  changes: Type.Integer({ description: "Rows of the change log replayed so far." }),
  changes_total: Type.Integer({ description: "Rows of the change log to replay; 0 until that is known, and after." }),
  requested_at: nullable(Type.String()),
  finished_at: nullable(Type.String()),
});
export type Rebuild = Static<typeof Rebuild>;

const LogKind = Type.Union([Type.Literal("postgres"), Type.Literal("nats")]);

const LogLocation = Type.Object({
  organization: Type.String({ description: "The organization's namespace." }),
  log: LogKind,
  stream: nullable(Type.String(), { description: "The stream of NATS; null in PostgreSQL." }),
  is_truncated: Type.Boolean({
    description:
      "The stream has lost its last records, and nothing is accepted until the log is renewed. Always false in PostgreSQL.",
  }),
  state: Type.Union([Type.Literal("present"), Type.Literal("closing"), Type.Literal("draining")], {
    description:
      "`closing`: records are refused with 503 for some seconds, until nothing can be written to the former log any more. `draining`: records are accepted, and those of the former log are applied first.",
  }),
  waiting_entries: Type.Integer({ description: "Records that are not applied yet, about." }),
});
/** Where the ingestion log of an organization is. */
export type LogLocation = Static<typeof LogLocation>;

/** The libraries of OpenAPI have types for it. */
const OpenApiDocument = Type.Unsafe<object>({
  ...Type.Object({
    openapi: Type.String(),
    info: Type.Object({
      title: Type.String(),
      version: Type.String(),
      description: Type.String(),
      license: mapOf(Type.String(), "The licence."),
    }),
    paths: mapOf(mapOf(AttributeValue, "The operations of the path, by method."), "The paths of the API."),
    components: mapOf(mapOf(AttributeValue, "Parts by name."), "What operations refer to, by kind."),
    tags: Type.Optional(Type.Array(mapOf(AttributeValue, "A tag and its description."))),
    servers: Type.Optional(Type.Array(mapOf(AttributeValue, "An address of the server."))),
  }),
  additionalProperties: AttributeValue,
  component: "OpenApiDocument",
  description: "This document, in the form that OpenAPI 3.1 defines.",
});

const isUp = { 200: Type.Object({ status: Type.Literal("ok") }) };

export const OPERATIONS_API = {
  "GET /healthz": { response: isUp },
  "GET /readyz": { response: isUp },
  "GET /proof": {
    querystring: Type.Object({
      challenge: Type.String({ pattern: "^[0-9a-f]{32,128}$", description: "Random bytes of the caller, in hex." }),
    }),
    response: {
      200: Type.Object({
        proof: Type.String({
          description:
            "HMAC-SHA256 of `muster server <challenge>` in hex, with the key in `server.json` of the server's data directory. The `muster` command compares it before it sends the admin token.",
        }),
      }),
    },
  },
  "GET /metrics": {
    response: {
      200: {
        description: "The metrics, in the text format of Prometheus.",
        content: { "text/plain": { schema: Type.String({ description: "A metric a line." }) } },
      },
    },
  },
  "GET /api/v1/openapi.json": { response: { 200: anyObjectAs(OpenApiDocument) } },
  "GET /api/v1/health_checks": { querystring: PageQuery, response: { 200: Type.Array(HealthCheck) } },
  "GET /api/v1/retention": { querystring: PageQuery, response: { 200: Type.Array(Retention) } },
  "POST /api/v1/rebuild": { body: Scope, response: { 202: Type.Array(Rebuild) } },
  "GET /api/v1/rebuild": {
    querystring: Type.Object({ ...PageQuery.properties, ...Scope.properties }),
    response: { 200: Type.Array(Rebuild) },
  },
  "POST /api/v1/backup": {
    body: Type.Object({
      passphrase: Type.Optional(
        Type.String({
          minLength: MIN_PASSPHRASE_LENGTH,
          description: "Seals the key in the backup. Without it the key is left out.",
        }),
      ),
    }),
    response: {
      200: {
        description: "The backup.",
        content: { "application/octet-stream": { schema: Type.String({ description: "Bytes." }) } },
      },
    },
  },
  "GET /api/v1/ingestion/log": { response: { 200: LogLocation } },
  "POST /api/v1/ingestion/log/move": {
    body: Type.Object({
      to: LogKind,
      abandon: Type.Optional(
        Type.Boolean({ description: "The stream is lost: give up the records in it that are not applied." }),
      ),
    }),
    response: { 202: LogLocation },
  },
  "POST /api/v1/ingestion/log/renew": {
    body: Type.Object({
      all: Type.Optional(Type.Boolean({ description: "Every organization whose stream has lost its last records." })),
    }),
    response: { 202: Type.Array(LogLocation) },
  },
};
