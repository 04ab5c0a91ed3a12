import { type Static, Type } from "typebox";
import { type JsonObject, mapOf } from "./schema.js";
import { AttributeValue } from "./values.js";

/** The values that somebody gave to settings of a connector, a platform or a deployment. */
export const Settings = Type.Unsafe<JsonObject>({
  ...mapOf(AttributeValue, "Settings by name. The manifest declares them; other keys are kept."),
  component: "Settings",
});
export type Settings = Static<typeof Settings>;

const Endpoints = Type.Array(
  mapOf(AttributeValue, "An endpoint: `url`, `handler`, `options`, and what its kind needs."),
);
const DeclaredSettings = Type.Array(
  mapOf(AttributeValue, "A setting: `name`, `title`, `description`, `type`, `format`, `default`, …"),
);

/** Nobody checks it before it is stored, so its type promises nothing: `readManifest` gives what can be relied on. */
export const Manifest = Type.Unsafe<JsonObject>({
  ...Type.Partial(
    Type.Object({
      name: Type.String(),
      version: Type.String(),
      description: Type.String(),
      tags: Type.Array(AttributeValue),
      settings: DeclaredSettings,
      private_settings: DeclaredSettings,
      deployment_settings: DeclaredSettings,
      settings_sections: Type.Array(mapOf(AttributeValue, "A section: `title`, `description`, `step`, `properties`.")),
      subscriptions: Endpoints,
      schedules: Endpoints,
      tabs: Endpoints,
      json: Endpoints,
      incoming: Endpoints,
      html: Endpoints,
    }),
  ),
  additionalProperties: AttributeValue,
  description:
    "The manifest of a connector as its app serves it; `{}` when it was created without one. Unknown keys are kept.",
  component: "Manifest",
});
