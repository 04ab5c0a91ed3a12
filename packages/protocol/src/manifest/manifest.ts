import { type Static, Type } from "typebox";
import { Confirmation, RelativePath, SettingEntry } from "./setting-entry.js";

/**
 * The manifest of a connector as an author should write it. Many real manifests differ from this schema: `checkManifest`
 * says where, and `readManifest` reads the parts that can be used.
 */

/** Tags that mean something to Muster. An author may add others. */
export const CONNECTOR_TAGS = [
  "incoming",
  "outgoing",
  "batch",
  "batch-accounts",
  "client",
  "wideSettings",
  "oneColumn",
  "smart-notifier",
  "kraken",
  "kraken-exports",
] as const;

export const CONNECTOR_STATUSES = ["ok", "warning", "error", "setupRequired"] as const;
export type ConnectorStatus = (typeof CONNECTOR_STATUSES)[number];

/** Numbers are often written as text. */
const Interval = Type.Union([Type.Number(), Type.String()]);

const HandlerOptions = Type.Object({
  disableErrorHandling: Type.Optional(Type.Boolean()),
  respondWithError: Type.Optional(Type.Boolean()),
  reads: Type.Optional(
    Type.Boolean({ description: "It changes nothing, such as a preview: the audit log does not list its calls." }),
  ),
  fireAndForget: Type.Optional(Type.Boolean()),
  credentialsFromQuery: Type.Optional(Type.Boolean()),
  credentialsFromNotification: Type.Optional(Type.Boolean()),
  dropIfConnectorDisabled: Type.Optional(Type.Boolean()),
  format: Type.Optional(Type.Enum(["json", "html"])),
  bodyParser: Type.Optional(Type.Enum(["urlencoded", "json"])),
  confirm: Type.Optional(Confirmation),
});

const NotificationOptions = Type.Object({
  disableErrorHandling: Type.Optional(Type.Boolean()),
  maxTime: Type.Optional(Type.Number()),
  maxSize: Type.Optional(Type.Number()),
  filter: Type.Optional(
    Type.Object({ user_segments: Type.Optional(Type.String()), account_segments: Type.Optional(Type.String()) }),
  ),
  segmentFilterSetting: Type.Optional(Type.String()),
  groupTraits: Type.Optional(Type.Boolean()),
});

const Endpoint = Type.Object({
  url: RelativePath,
  handler: Type.Optional(Type.String()),
  options: Type.Optional(HandlerOptions),
});

const Page = Type.Object({
  url: RelativePath,
  title: Type.Optional(Type.String()),
  size: Type.Optional(Type.Enum(["small", "large", "borderless"])),
  editable: Type.Optional(Type.Boolean({ description: "Show a save button." })),
  setup: Type.Optional(Type.Boolean({ description: "Where credentials are given." })),
  workspace: Type.Optional(Type.Boolean({ description: "Where work is done." })),
  handler: Type.Optional(Type.String()),
  options: Type.Optional(HandlerOptions),
});

const Recurring = Type.Object({
  url: RelativePath,
  handler: Type.Optional(Type.String()),
  type: Type.Optional(Type.Enum(["interval", "cron"])),
  value: Type.Optional(Interval),
  value_from: Type.Optional(Type.String({ description: "Path of the setting that holds the value." })),
  default: Type.Optional(Interval),
  options: Type.Optional(HandlerOptions),
});

const Status = Type.Object({
  url: RelativePath,
  handler: Type.Optional(Type.String()),
  type: Type.Optional(Type.Enum(["interval", "cron"])),
  value: Type.Optional(Interval),
  initial_value: Type.Optional(Type.Enum([...CONNECTOR_STATUSES])),
  options: Type.Optional(HandlerOptions),
});

const ChannelHandler = Type.Object({
  channel: Type.String(),
  handler: Type.Optional(Type.String()),
  "events-whitelist": Type.Optional(Type.Array(Type.String())),
  options: Type.Optional(NotificationOptions),
});

const Subscription = Type.Object({
  url: RelativePath,
  conditions: Type.Optional(
    Type.Object({
      channels: Type.Optional(Type.Object({ only: Type.Optional(Type.Array(Type.String())) })),
      segments: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  ),
  channels: Type.Optional(Type.Array(ChannelHandler)),
});

const Batch = Type.Object({
  url: RelativePath,
  channels: Type.Optional(Type.Array(ChannelHandler)),
});

const SettingsSection = Type.Object({
  title: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  step: Type.Optional(Type.String({ description: "`credentials`: the only section in use while setup is required." })),
  properties: Type.Array(Type.String(), { description: "JSON paths such as `private_settings.<name>`." }),
});

export const Manifest = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  version: Type.String({ minLength: 1 }),
  description: Type.Optional(Type.String()),
  picture: Type.Optional(Type.String()),
  logo: Type.Optional(Type.String()),
  readme: Type.Optional(Type.String()),
  index: Type.Optional(Type.String({ description: "The script injected into the page; needed for client-side code." })),
  tags: Type.Optional(Type.Array(Type.String())),
  tabs: Type.Optional(Type.Array(Page)),
  admin: Type.Optional(RelativePath),
  ui: Type.Optional(Type.Boolean({ description: "False: the connector has no user interface." })),
  settings: Type.Optional(Type.Array(SettingEntry)),
  private_settings: Type.Optional(Type.Array(SettingEntry)),
  deployment_settings: Type.Optional(Type.Array(SettingEntry)),
  settings_sections: Type.Array(SettingsSection),
  subscriptions: Type.Optional(Type.Array(Subscription)),
  batches: Type.Optional(Type.Array(Batch)),
  json: Type.Optional(Type.Array(Endpoint)),
  incoming: Type.Optional(Type.Array(Endpoint)),
  html: Type.Optional(Type.Array(Page)),
  schedules: Type.Optional(Type.Array(Recurring)),
  status: Type.Optional(Status),
  statuses: Type.Optional(Type.Array(Status)),
});
export type Manifest = Static<typeof Manifest>;
