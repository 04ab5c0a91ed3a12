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

/** What `/:id` takes and answers, by the type of the object, and the free parts of objects. */
export const OBJECT_SCHEMAS: Schemas = {
  Settings: freeMap(ANY, "Settings by name. The manifest declares them; other keys are kept."),
  Manifest: MANIFEST,
};
