import { type Static, Type } from "typebox";
import { CONNECTOR_STATUSES } from "../manifest/manifest.js";
import { ManifestProblem } from "../manifest/manifest-problem.js";
import { PageQuery } from "./paging.js";
import { PurposeNames } from "./purposes.js";
import { anyObjectAs, anyValueAs, nullable, textIn } from "./schema.js";
import { Manifest, Settings } from "./settings.js";
import { AttributeValue, OptionalTime, Time } from "./values.js";

export const WHEN_DISABLED = ["drop", "hold"] as const;

const SettingsSection = Type.Object({
  title: Type.String(),
  description: nullable(Type.String()),
  step: nullable(Type.String()),
  enabled: Type.Boolean({ description: "Whether the settings in it can be changed now." }),
  properties: Type.Array(Type.String(), { description: "Paths such as `private_settings.api_key`." }),
});
export type SettingsSection = Static<typeof SettingsSection>;

export const Connector = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    type: Type.Literal("ship"),
    manifest: anyObjectAs(Manifest),
    manifest_url: nullable(Type.String()),
    source_url: nullable(Type.String(), { description: "Where it runs." }),
    settings: anyObjectAs(Settings),
    private_settings: Type.Optional(anyObjectAs(Settings)),
    secret: Type.Optional(Type.String()),
    tags: Type.Array(anyValueAs(AttributeValue)),
    status: Type.Object({
      status: textIn(CONNECTOR_STATUSES),
      messages: Type.Array(Type.String()),
      updated_at: nullable(Type.String()),
    }),
    enabled: Type.Boolean(),
    when_disabled: textIn(WHEN_DISABLED, {
      description: "`drop` or `hold`: what happens to messages while it is disabled.",
    }),
    notify_users_of_account: Type.Boolean({
      description: "It also gets `user:update` messages when only the account of a user has changed.",
    }),
    purposes: Type.Array(Type.String(), {
      description: "The purposes that it serves. It is told nothing about users who have not agreed to all of them.",
    }),
    accept_incoming_webhooks: Type.Boolean({ description: "Whether it is enabled." }),
    created_at: Time,
    updated_at: Time,
    sections: Type.Optional(Type.Array(SettingsSection)),
  },
  {
    additionalProperties: true,
    component: "Connector",
    description:
      "Only the connector itself, owners of the organization and the operator get `secret`, `private_settings` and `sections`: the sections of the settings form, each with `enabled`.",
  },
);
export type Connector = Static<typeof Connector>;

/** What the connector itself, owners and the operator get. */
export type OwnConnector = Connector & Required<Pick<Connector, "private_settings" | "secret">>;

export const ConnectorChange = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: "What it is called. The connector itself cannot change it.",
      }),
    ),
    settings: Type.Optional(Settings),
    private_settings: Type.Optional(Settings),
    enabled: Type.Optional(Type.Boolean({ description: "The operator alone." })),
    when_disabled: Type.Optional(
      textIn(WHEN_DISABLED, {
        description: "What happens to messages while it is disabled. The operator alone.",
      }),
    ),
    notify_users_of_account: Type.Optional(
      Type.Boolean({
        description: "Whether it also gets `user:update` messages when only the account of a user has changed.",
      }),
    ),
    purposes: Type.Optional({
      ...PurposeNames,
      description: "The purposes that it serves, all of them; empty for none. The operator and owners alone.",
    }),
  },
  { component: "ConnectorChange", description: "Of a connector: settings are merged into those it has." },
);
export type ConnectorChange = Static<typeof ConnectorChange>;

const Credentials = Type.Object({
  id: Type.String(),
  secret: Type.String(),
  organization: Type.String({ description: "The host that clients use for the organization." }),
  name: Type.String(),
  firehose_url: Type.String({ description: "The address that batches are sent to." }),
  write_key: nullable(Type.String(), {
    description: "Its oldest server key, which may only write; null when all server keys were deleted.",
  }),
});
export type Credentials = Static<typeof Credentials>;

const Installed = Type.Object({
  ...Credentials.properties,
  problems: Type.Array(ManifestProblem, { description: "What is wrong or unusual in its manifest." }),
});
export type Installed = Static<typeof Installed>;

const RefreshedConnector = Type.Object({ connector: Connector, problems: Type.Array(ManifestProblem) });
export type RefreshedConnector = Static<typeof RefreshedConnector>;

const ConnectorPage = Type.Object({
  kind: textIn(["tab", "html", "admin", "oauth"], { description: "`tab`, `html`, `admin` or `oauth`." }),
  title: nullable(Type.String()),
  url: Type.String({ description: "Contains the credentials of the connector: do not show it to end users." }),
  size: nullable(Type.String()),
  editable: Type.Boolean(),
  setup: Type.Boolean(),
  workspace: Type.Boolean(),
});
export type ConnectorPage = Static<typeof ConnectorPage>;

const OfferedOption = Type.Object({
  value: Type.Union([Type.String(), Type.Number(), Type.Boolean()]),
  label: Type.String(),
  group: nullable(Type.String(), { description: "The label of the group that it is in." }),
});
export type OfferedOption = Static<typeof OfferedOption>;

const FormValues = (description: string) => Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description }));

const OptionsQuestion = Type.Object({
  path: Type.String({ minLength: 1, maxLength: 2_048, description: "The path in `loadOptions`." }),
  search: Type.Optional(Type.String({ maxLength: 1_000, description: "What somebody searches for." })),
  settings: FormValues("Settings that are not saved yet."),
  private_settings: FormValues("Private settings that are not saved yet."),
});
export type OptionsQuestion = Static<typeof OptionsQuestion>;

/** The address or path of an image as a manifest or a readme gives it. */
export const ImageSource = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 2_048,
    description: "The address or path of the image, as the manifest or the readme gives it. Default: the picture.",
  }),
);

export const ImageAnswer = Type.Object({
  image: nullable(Type.String(), {
    description: "A `data:` address. Null when there is no PNG, JPEG, GIF or WebP image of at most 1 MB.",
  }),
});

const Schedule = Type.Object({
  kind: textIn(["schedule", "status"], { description: "`schedule` or `status`." }),
  url: Type.String(),
  timing: Type.String({ description: "`interval` and minutes, or `cron` and an expression." }),
  due_at: Time,
  last_run_at: OptionalTime,
  last_result: nullable(Type.String()),
  last_duration_ms: nullable(Type.Integer()),
});
export type Schedule = Static<typeof Schedule>;

const connector = Type.Object({ id: Type.String({ description: "Connector id." }) });
const connectorOrApp = Type.Object({ id: Type.String({ description: "Connector id, or `app`." }) });

/** Connectors, their pages and their recurring calls. The catalogue, logs and statuses have files of their own. */
export const CONNECTORS_API = {
  "GET /api/v1/connectors": { querystring: PageQuery, response: { 200: Type.Array(Connector) } },
  "POST /api/v1/connectors": {
    body: Type.Object({ name: Type.String({ minLength: 1, maxLength: 200 }) }),
    response: { 201: Credentials },
  },
  "POST /api/v1/connectors/install": {
    body: Type.Object({
      url: Type.String({
        minLength: 1,
        maxLength: 2_048,
        description: "The address of the connector, or of its manifest.",
      }),
    }),
    response: { 201: Installed },
  },
  "POST /api/v1/{id}/refresh": { params: connector, response: { 200: RefreshedConnector } },
  "POST /api/v1/{id}/secret": { params: connector, response: { 200: Credentials } },
  "GET /api/v1/{id}/pages": {
    params: connectorOrApp,
    querystring: PageQuery,
    response: { 200: Type.Array(ConnectorPage) },
  },
  "POST /api/v1/{id}/call": {
    params: connectorOrApp,
    body: Type.Object({
      path: Type.String({ minLength: 1, maxLength: 2_048, description: "The path as the manifest declares it." }),
      body: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: "What the endpoint gets." })),
    }),
    response: { 200: anyValueAs(AttributeValue, { description: "The answer of the connector." }) },
  },
  "POST /api/v1/{id}/options": {
    params: connectorOrApp,
    body: OptionsQuestion,
    response: { 200: Type.Object({ options: Type.Array(OfferedOption) }) },
  },
  "GET /api/v1/{id}/readme": {
    params: connectorOrApp,
    response: {
      200: Type.Object({
        readme: nullable(Type.String(), {
          description: "Markdown; null when there is none or the connector does not serve it now.",
        }),
      }),
    },
  },
  "GET /api/v1/{id}/image": {
    params: connectorOrApp,
    querystring: Type.Object({ src: ImageSource }),
    response: { 200: ImageAnswer },
  },
  "POST /api/v1/{id}/frames": {
    params: connector,
    body: Type.Object({
      path: Type.String({ minLength: 1, maxLength: 2_048, description: "The page as the manifest declares it." }),
    }),
    response: { 200: Type.Object({ url: Type.String({ description: "A path of this server." }) }) },
  },
  "GET /api/v1/frames/{ticket}": {
    params: Type.Object({ ticket: Type.String({ maxLength: 8_192, description: "Made by `POST /:id/frames`." }) }),
    response: { 200: { description: "A page.", content: { "text/html": { schema: Type.String() } } } },
  },
  "GET /api/v1/{id}/schedules": {
    params: connectorOrApp,
    querystring: PageQuery,
    response: { 200: Type.Array(Schedule) },
  },
};
