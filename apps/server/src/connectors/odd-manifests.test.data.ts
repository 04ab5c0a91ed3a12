import type { ConnectorStatus } from "@muster/protocol/manifest";

/** A manifest with the oddities that manifests of real connectors have, and what its installation gives. */
export interface OddManifest {
  oddities: string;
  manifest: Record<string, unknown>;
  /** Each as severity and path. */
  problems?: string[];
  settings?: Record<string, unknown>;
  privateSettings?: Record<string, unknown>;
  status?: ConnectorStatus;
  /** Title and whether it is enabled. */
  sections?: [string, boolean][];
  /** Kind, path and timing. */
  schedules?: string[];
}

const column = (title: string, rest: object = {}) => ({ title, type: "string", format: "string", ...rest });

export const ODD_MANIFESTS: OddManifest[] = [
  {
    oddities: "formats for headings, notes and fields that are not in the list of formats",
    manifest: {
      name: "Lamp shop",
      version: "0.9.1-beta",
      private_settings: [
        { name: "welcome", title: "Welcome", type: "string", format: "title" },
        { name: "progress", title: "Progress", type: "string", format: "information", url: "/progress" },
        { name: "user", type: "string", format: "text" },
        { name: "pass", type: "string", format: "password", required: true },
        { name: "note", type: "string", format: "textarea", default: "Dear customer" },
        { name: "script", type: "string", format: "code", default: "{}" },
        { name: "active", type: "boolean", format: "checkbox", default: false },
      ],
      settings: [
        { name: "radius", type: "number", format: "range", default: 4, minimum: 0, maximum: 12 },
        { name: "delay", type: "number", format: "number", default: 0, minimum: 0 },
      ],
      settings_sections: [{ title: "Lamps", properties: ["private_settings.user", "private_settings.pass"] }],
    },
    problems: [
      "warning settings.radius.format",
      "warning settings.delay.format",
      "warning private_settings.user.format",
      "warning private_settings.active.format",
    ],
    settings: { radius: 4, delay: 0 },
    privateSettings: { note: "Dear customer", script: "{}", active: false },
    sections: [["Lamps", true]],
  },
  {
    oddities: "no sections at all, keys that nobody knows, and client-side code without the tag for it",
    manifest: {
      name: "Greeting card",
      version: "0.0.2",
      index: "card.js",
      settings: [
        { name: "ink", title: "Ink", type: "string", format: "color", default: "#112233" },
        { name: "cover", type: "string", format: "image" },
        { name: "inline", type: "boolean", default: true, format: "hidden" },
      ],
      deployment_settings: [{ name: "after", type: "string" }],
      resources: [],
      locales: ["nl"],
      license: "ISC",
    },
    problems: ["error settings_sections"],
    settings: { ink: "#112233", inline: true },
    sections: [],
  },
  {
    oddities: "numbers as text everywhere, and the same status endpoint under two keys",
    manifest: {
      name: "Tide clock",
      version: "1",
      private_settings: [
        { name: "every", type: "string", enum: ["15", "45"], default: "45" },
        { name: "batch", type: "string", default: "250", format: "hidden" },
        { name: "choice", type: "number", enum: ["1", "2"], default: "2" },
      ],
      settings_sections: [{ title: "When", properties: ["private_settings.every"] }],
      schedules: [
        { url: "/tide", type: "interval", value_from: "private_settings.every", default: "90" },
        { url: "/moon", type: "interval", value: "20", options: { fireAndForget: true } },
        { url: "/night", type: "cron", value: "3 */4 * * *" },
      ],
      status: { url: "/status", type: "interval", value: "10", method: "all", initial_value: "warning" },
      statuses: [{ url: "/status", type: "interval", value: "10", method: "all" }],
    },
    privateSettings: { every: "45", batch: "250", choice: "2" },
    status: "warning",
    sections: [["When", true]],
    schedules: [
      "schedule /moon interval 20",
      "schedule /night cron 3 */4 * * *",
      "schedule /tide interval 45",
      "status /status interval 10",
    ],
  },
  {
    oddities: "status by cron, and a status endpoint only in the list",
    manifest: {
      name: "Sundial",
      version: "2.0.0",
      settings_sections: [],
      statuses: [{ url: "/status", type: "cron", value: "*/20 * * * *", initial_value: "setupRequired" }],
    },
    status: "setupRequired",
    sections: [],
    schedules: ["status /status cron */20 * * * *"],
  },
  {
    oddities:
      "setup with two sections for the credentials, sign-in options at the wrong level, and buttons in sections",
    manifest: {
      name: "Bird feeder",
      version: "3.1.0",
      source: "birds",
      tags: ["incoming", "first-install", "single-install"],
      private_settings: [
        {
          name: "sign_in",
          title: "Sign in",
          type: "string",
          format: "oauth",
          handler: "oauth",
          url: "/auth",
          options: {
            tokenInUrl: false,
            name: "Birds",
            scope: ["feed"],
            tokenURL: "https://birds.example/token",
            strategy: { scope: ["read", "feed"], skipUserProfile: true, graphVersion: "v1" },
          },
        },
        {
          name: "garden",
          type: "string",
          format: "select",
          url: "/gardens",
          handler: "gardens",
          options: { loadOptions: "/gardens", allowCreate: false, placeholder: "Pick a garden" },
        },
        { name: "seeds", type: "string", enum: ["sunflower", "millet"], default: "millet", required: true },
        { name: "recipe", type: "string", required: true },
        { name: "token", type: "string", format: "hidden" },
        { name: "bird", type: "object", format: "hidden", properties: { ring: { type: "string" } } },
      ],
      json: [
        {
          url: "/feed",
          name: "feed",
          format: "action",
          title: "Feed now",
          handler: "feed",
          options: {
            fireAndForget: true,
            confirm: { action: "fetch", text: "Feed?", button: "Feed", entity: "users" },
          },
        },
        { url: "/gardens", handler: "gardens", options: { cacheContextFetch: false, cache: { key: false } } },
        { url: "/key", name: "key", format: "credentials", type: "string", handler: "key", description: "" },
      ],
      settings_sections: [
        { title: "Sign in", step: "credentials", properties: ["private_settings.sign_in", "json.key"] },
        { title: "Garden", step: "credentials", properties: ["private_settings.garden"] },
        { title: "Feeding", properties: ["private_settings.seeds", "private_settings.recipe", "json.feed"] },
      ],
      status: { url: "/status", type: "interval", value: "5", initial_value: "setupRequired" },
    },
    privateSettings: { seeds: "millet" },
    status: "setupRequired",
    sections: [
      ["Sign in", true],
      ["Garden", true],
      ["Feeding", false],
    ],
    schedules: ["status /status interval 5"],
  },
  {
    oddities: "setup without a section for the credentials, and steps that mean nothing to the server",
    manifest: {
      name: "Letter box",
      version: "1.0.0",
      private_settings: [{ name: "address", type: "string" }],
      settings_sections: [
        { title: "Box", properties: ["private_settings.address"] },
        { title: "Letters", step: "incoming", properties: [] },
        { title: "Parcels", step: "actions", description: "", properties: [] },
      ],
      status: { initial_value: "setupRequired", url: "/status", type: "interval", value: "30" },
    },
    status: "setupRequired",
    sections: [
      ["Box", true],
      ["Letters", true],
      ["Parcels", true],
    ],
    schedules: ["status /status interval 30"],
  },
  {
    oddities: "tables: columns without a type, rows that are texts, an empty first row, required columns, dependencies",
    manifest: {
      name: "Seed drawer",
      version: "1.0.0",
      private_settings: [
        {
          name: "identity",
          type: "array",
          format: "table",
          items: {
            type: "object",
            properties: {
              service: { title: "Field", enum: ["mail"] },
              hull: { title: "Identifier", enum: ["email", "external_id"], allowCreate: true },
              required: { type: "boolean", format: "select", title: "required?" },
            },
          },
          default: [{ hull: "email", service: "mail", required: false }],
        },
        { name: "addresses", type: "array", format: "table", items: { type: "string", default: "" }, default: [""] },
        {
          name: "triggers",
          type: "array",
          format: "table",
          minItems: 1,
          options: { itemsPerRow: 2 },
          items: {
            type: "object",
            required: ["segment"],
            dependencies: { text: ["segment"] },
            properties: {
              segment: column("Segment", {
                format: "segment",
                options: { standard: { ALL: "Everybody" } },
                default: "ALL",
              }),
              event: column("Event", { format: "event", options: { allowCreate: true } }),
              entered: { title: "On entering", type: "boolean", format: "checkbox" },
              text: column("Text", { placeholder: "Write here" }),
            },
          },
          default: [{ segment: "" }],
        },
        { name: "anything", type: "array", items: { type: "object", properties: {} }, default: [] },
        { name: "untyped_rows", type: "array", default: [{ service: "Id", hull: "Id" }] },
      ],
      settings_sections: [{ title: "Drawer", properties: ["private_settings.identity", "private_settings.triggers"] }],
    },
    privateSettings: {
      identity: [{ hull: "email", service: "mail", required: false }],
      addresses: [""],
      triggers: [{ segment: "" }],
      anything: [],
      untyped_rows: [{ service: "Id", hull: "Id" }],
    },
    sections: [["Drawer", true]],
  },
  {
    oddities: "mappings with expressions, extra keys in rows and in options, and rows that cannot be changed",
    manifest: {
      name: "Phone book",
      version: "1.0.0",
      private_settings: [
        {
          name: "incoming",
          type: "array",
          format: "traitMapping",
          options: {
            direction: "incoming",
            showOverwriteToggle: true,
            loadOptions: "/fields",
            source: "book",
            autoFill: true,
          },
          default: [
            { service: "`long-id` ? `long-id` : `id`", hull: "traits_book/id", overwrite: true, readOnly: true },
            { service: "numbers.$split(';')", hull: "book/numbers", overwrite: true },
          ],
        },
        {
          name: "outgoing",
          type: "array",
          format: "accountTraitMapping",
          url: "/schema",
          handler: "schema",
          options: { direction: "outgoing", allowExpression: true, allowCreate: true, loadOptions: "/schema" },
          default: [{ hull: "account_segments.name[]", service: "groups", default_value: "[none]", overwrite: false }],
        },
      ],
      settings_sections: [{ title: "Book", properties: ["private_settings.incoming", "private_settings.outgoing"] }],
    },
    privateSettings: {
      incoming: [
        { service: "`long-id` ? `long-id` : `id`", hull: "traits_book/id", overwrite: true, readOnly: true },
        { service: "numbers.$split(';')", hull: "book/numbers", overwrite: true },
      ],
      outgoing: [{ hull: "account_segments.name[]", service: "groups", default_value: "[none]", overwrite: false }],
    },
    sections: [["Book", true]],
  },
  {
    oddities: "lists of choices under items, standard events of the author's own, and a segment setting that is hidden",
    manifest: {
      name: "Door bell",
      version: "1.0.0",
      tags: ["outgoing", "oneColumn", "kraken", "batch", "kraken-exports"],
      admin: "/admin",
      tabs: [{ title: "Rings", url: "/admin", method: "get", editable: false, handler: "admin" }],
      html: [{ url: "/sync", handler: "sync" }],
      private_settings: [
        {
          name: "kinds",
          type: "array",
          format: "select",
          uniqueItems: true,
          items: { type: "string", enum: ["short", "long"] },
          default: ["short"],
        },
        {
          name: "events",
          type: "array",
          format: "event",
          options: { standard: { all_events: "All", "User merged": "User merged" } },
          default: ["all_events", "Rang twice"],
        },
        { name: "segments", type: "array", format: "hidden", default: [] },
        { name: "target", type: "string", format: "trait", default: "domain" },
      ],
      settings_sections: [{ title: "Bell", properties: ["private_settings.kinds", "private_settings.events"] }],
      subscriptions: [
        {
          url: "/smart-notify",
          conditions: {
            channels: { only: ["user:update", "ship:update", "users_segment:update", "users_segment:delete"] },
            segments: { "user:update": ["private_settings.segments"] },
          },
          channels: [{ channel: "user:update", handler: "ring", "events-whitelist": ["private_settings.events"] }],
        },
      ],
      batches: [{ url: "/batch", channels: [{ channel: "user:update", handler: "ring", options: { maxSize: 500 } }] }],
      incoming: [{ url: "/hook", handler: "hook", options: { credentialsFromQuery: true, bodyParser: "urlencoded" } }],
    },
    privateSettings: { kinds: ["short"], events: ["all_events", "Rang twice"], segments: [], target: "domain" },
    sections: [["Bell", true]],
  },
  {
    oddities: "mistakes: options of the wrong kind, channels and settings that do not exist, a schedule without a time",
    manifest: {
      name: "Broken umbrella",
      version: "1.0.0",
      private_settings: [
        { title: "No name", type: "string", default: "lost" },
        "not a setting",
        { name: "rain", type: "liquid", default: 3 },
        {
          name: "mapping",
          type: "array",
          format: "traitMapping",
          options: { direction: "sideways", allowCreate: "true", pattern: "[", loadOptions: 9 },
          default: [],
        },
      ],
      settings_sections: [{ properties: ["private_settings.gone"] }],
      subscriptions: [
        {
          url: "/n",
          conditions: { channels: { only: ["user:updated"] }, segments: { "user:update": ["private_settings.gone"] } },
        },
      ],
      schedules: [{ url: "/never" }, { url: "/later", value_from: "private_settings.gone" }],
      status: { url: "/status", type: "interval", value: "soon", initial_value: "sleepy" },
    },
    problems: [
      "error private_settings.0.name",
      "error private_settings.1",
      "error private_settings.2.type",
      "error status.initial_value",
      "warning private_settings.3.options.allowCreate",
      "error private_settings.3.options.loadOptions",
      "error private_settings.3.options.direction",
      "error private_settings.3.options.pattern",
      "warning settings_sections.0.title",
      "warning settings_sections.0.properties",
      "error subscriptions.0.conditions.channels.only.0",
      "warning subscriptions.0.conditions.segments.user:update.0",
      "warning schedules.1.value_from",
      "error schedules.0",
      "error status",
    ],
    privateSettings: { rain: 3, mapping: [] },
    sections: [["", true]],
  },
];
