import { freeMap, listOf, objectOf, refTo, type Schema, type Schemas, TEXT } from "./schema.js";

const ANY: Schema = refTo("AttributeValue");
const optional = (properties: Schemas, description: string) =>
  objectOf(properties, Object.keys(properties), description);

const ENDPOINT: Schema = freeMap(ANY, "An endpoint: `url`, `handler`, `options`, and what its kind needs.");
const SETTINGS_LIST = listOf(freeMap(ANY, "A setting: `name`, `title`, `description`, `type`, `format`, `default`, …"));

const MANIFEST: Schema = {
  ...optional(
    {
      name: TEXT,
      version: TEXT,
      description: TEXT,
      tags: listOf(ANY),
      settings: SETTINGS_LIST,
      private_settings: SETTINGS_LIST,
      deployment_settings: SETTINGS_LIST,
      settings_sections: listOf(freeMap(ANY, "A section: `title`, `description`, `step`, `properties`.")),
      subscriptions: listOf(ENDPOINT),
      schedules: listOf(ENDPOINT),
      tabs: listOf(ENDPOINT),
      json: listOf(ENDPOINT),
      incoming: listOf(ENDPOINT),
      html: listOf(ENDPOINT),
    },
    "The manifest of a connector as its app serves it; `{}` when it was created without one. Unknown keys are kept.",
  ),
  additionalProperties: ANY,
};

const CHANGES: Schemas = {
  OrganizationChange: optional(
    {
      name: TEXT,
      enabled: {
        type: "boolean",
        description: "While it is false, every call for the organization is answered with 402.",
      },
    },
    "Of an organization. The operator alone.",
  ),
  UserChange: optional(
    {
      is_admin: { type: "boolean" },
      approved: { type: "boolean" },
      settings: optional(
        { notifications: freeMap(refTo("AttributeValue"), "Which notifications the user wants.") },
        "Replaces the settings for notifications.",
      ),
    },
    "Marks of a user. Attributes are changed with `traits` entries.",
  ),
  ConnectorChange: optional(
    {
      settings: refTo("Settings"),
      private_settings: refTo("Settings"),
      enabled: { type: "boolean", description: "The operator alone." },
      when_disabled: {
        type: "string",
        enum: ["drop", "hold"],
        description: "What happens to messages while it is disabled. The operator alone.",
      },
      notify_users_of_account: {
        type: "boolean",
        description: "Whether it also gets `user:update` messages when only the account of a user has changed.",
      },
    },
    "Of a connector: settings are merged into those it has.",
  ),
  SegmentChange: optional(
    { name: { type: "string", minLength: 1, maxLength: 200 }, query: refTo("Query"), predicate: refTo("Predicate") },
    "Of a segment.",
  ),
  EntityChange: {
    ...optional(
      {
        name: { type: ["string", "null"] },
        description: { type: ["string", "null"] },
        picture: { type: ["string", "null"] },
        type: { type: ["string", "null"] },
        url: { type: ["string", "null"] },
        tags: { type: ["array", "null"], items: TEXT },
        extra: { type: ["object", "null"], additionalProperties: ANY, description: "Data of your own." },
      },
      "Of an entity: null removes a value.",
    ),
    additionalProperties: false,
  },
  CommentChange: objectOf({ text: { type: "string", minLength: 1, maxLength: 20_000 } }, [], "Of a comment."),
  PlatformChange: optional(
    { name: TEXT, domains: listOf(TEXT), settings: refTo("Settings") },
    "Of a platform, by the operator: settings are merged, the rest is replaced.",
  ),
  DeploymentChange: objectOf(
    { settings: refTo("Settings") },
    [],
    "Of a deployment, by the operator: settings are merged.",
  ),
};

const OBJECTS = [
  "Organization",
  "Connector",
  "User",
  "Account",
  "Event",
  "Segment",
  "Comment",
  "Entity",
  "Job",
  "Platform",
  "Deployment",
];

/** What `/:id` takes and answers, by the type of the object, and the free parts of objects. */
export const OBJECT_SCHEMAS: Schemas = {
  Settings: freeMap(ANY, "Settings by name. The manifest declares them; other keys are kept."),
  Manifest: MANIFEST,
  AnyObject: {
    anyOf: OBJECTS.map(refTo),
    description: "The object. The id has the type of the object in it, so an id always gives the same kind.",
  },
  ...CHANGES,
  ObjectChange: {
    anyOf: Object.keys(CHANGES).map(refTo),
    description:
      "What to change, by the type of the object. Attributes of users and accounts are changed with `traits` entries, not here.",
  },
  Removed: objectOf(
    {
      id: TEXT,
      deleted: { const: true },
      position: { ...TEXT, description: "Of an erasure: where it is in the ingestion log." },
      receipt: { ...refTo("Erasure"), description: "Of an erasure: what was removed; missing until it is applied." },
    },
    ["position", "receipt"],
    "The object is gone.",
  ),
  RemovedObject: {
    anyOf: [refTo("Removed"), refTo("Job")],
    description: "What was removed. A job is canceled instead, and stays.",
  },
  LogLine: {
    ...optional(
      {
        level: { ...TEXT, description: "`debug`, `info`, `warn` or `error`; other levels become one of these." },
        message: TEXT,
        data: freeMap(ANY, "What belongs to the line."),
        hull_summary: { ...TEXT, description: "Of an error: what people should know." },
        timestamp: { type: ["string", "number"], description: "When; default: now. `time` works too." },
      },
      "A line of a log.",
    ),
    additionalProperties: ANY,
  },
  LogLines: {
    anyOf: [listOf(refTo("LogLine")), objectOf({ logs: listOf(refTo("LogLine")) }), refTo("LogLine")],
    description: "One line, a list of lines, or a list under `logs`.",
  },
  Bytes: { type: "string", contentMediaType: "application/octet-stream", description: "Bytes as they are." },
  OpenApiDocument: {
    ...objectOf(
      {
        openapi: TEXT,
        info: objectOf({ title: TEXT, version: TEXT, description: TEXT, license: freeMap(TEXT, "The licence.") }),
        paths: freeMap(freeMap(ANY, "The operations of the path, by method."), "The paths of the API."),
        components: freeMap(freeMap(ANY, "Parts by name."), "What operations refer to, by kind."),
        tags: listOf(freeMap(ANY, "A tag and its description.")),
        servers: listOf(freeMap(ANY, "An address of the server.")),
      },
      ["tags", "servers"],
      "This document, in the form that OpenAPI 3.1 defines.",
    ),
    additionalProperties: ANY,
  },
};
