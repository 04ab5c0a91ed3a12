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
};

/** What `/:id` takes and answers, by the type of the object, and the free parts of objects. */
export const OBJECT_SCHEMAS: Schemas = {
  Settings: freeMap(ANY, "Settings by name. The manifest declares them; other keys are kept."),
  Manifest: MANIFEST,
  ...CHANGES,
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
};
