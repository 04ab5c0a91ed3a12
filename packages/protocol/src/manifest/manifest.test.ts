import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkManifest } from "./check-manifest.js";
import { readManifest } from "./read-manifest.js";

const COMPLETE = {
  name: "Warehouse",
  version: "2.1.0",
  description: "Sends people to a warehouse.",
  picture: "picture.png",
  logo: "logo.png",
  readme: "readme.md",
  index: "/app.js",
  admin: "/auth/",
  ui: false,
  tags: ["outgoing", "client", "smart-notifier"],
  tabs: [{ title: "Queries", url: "/queries", size: "large", editable: true, setup: false, workspace: true }],
  settings: [{ name: "color", title: "Color", type: "string", format: "color", default: "#fff" }],
  private_settings: [
    { name: "api_key", title: "Key", type: "string", required: true },
    { name: "segments", type: "array", format: "segment", options: { standard: { ALL: "Everybody" } }, default: [] },
    { name: "every", type: "number", enum: [5, 30], enumNames: ["often", "rarely"], default: 30 },
    { name: "events", type: "array", format: "event" },
    { name: "mapping", type: "array", format: "traitMapping", items: { type: "object", properties: {} } },
  ],
  deployment_settings: [{ name: "label", type: "string" }],
  settings_sections: [
    { title: "Credentials", step: "credentials", properties: ["private_settings.api_key", "json.test_connection"] },
    { title: "What", description: "Who is sent", properties: ["private_settings.segments", "settings.color"] },
  ],
  subscriptions: [
    {
      url: "/smart-notifier",
      conditions: {
        channels: { only: ["user:update", "ship:update"] },
        segments: { "user:update": ["private_settings.segments"] },
      },
      channels: [
        {
          channel: "user:update",
          handler: "update",
          "events-whitelist": ["private_settings.events"],
          options: { maxSize: 50 },
        },
      ],
    },
  ],
  batches: [{ url: "/batch", channels: [{ channel: "user:update", handler: "update" }] }],
  json: [
    { url: "/test", name: "test_connection", handler: "test", options: { respondWithError: true, bodyParser: "json" } },
  ],
  incoming: [
    { url: "/webhook", handler: "webhook", options: { credentialsFromQuery: true, bodyParser: "urlencoded" } },
  ],
  html: [{ url: "/home", title: "Home", size: "borderless" }],
  schedules: [
    { url: "/sync", type: "interval", handler: "sync", value_from: "private_settings.every", default: "30" },
    { url: "/nightly", type: "cron", value: "0 3 * * *" },
  ],
  status: { url: "/status", type: "interval", value: 5, initial_value: "setupRequired" },
};

test("a correct manifest has no problems", () => {
  expect(checkManifest(COMPLETE)).toEqual([]);
});

describe("reading", () => {
  test("gives all the parts that Muster uses, also those that the manifest leaves out", () => {
    expect(readManifest(COMPLETE)).toMatchObject({
      name: "Warehouse",
      ui: false,
      admin: "/auth/",
      subscriptions: [
        {
          url: "/smart-notifier",
          channels: ["user:update", "ship:update"],
          segmentSettings: { "user:update": ["private_settings.segments"] },
          eventSettings: { "user:update": ["private_settings.events"] },
        },
      ],
      schedules: [
        { url: "/sync", type: "interval", valueFrom: "private_settings.every", default: "30" },
        { url: "/nightly", type: "cron", value: "0 3 * * *" },
      ],
      statuses: [{ url: "/status", type: "interval", value: "5" }],
      initialStatus: "setupRequired",
    });
  });

  test("an endpoint under both `status` and `statuses` is asked once", () => {
    const status = { url: "/status", type: "interval", value: "5" };
    expect(readManifest({ status, statuses: [status] }).statuses).toHaveLength(1);
  });

  test("takes the first initial status that is known, and `ok` without one", () => {
    expect(readManifest({ status: { url: "/s", value: 5, initial_value: "sleepy" } }).initialStatus).toBe("ok");
    expect(readManifest({ statuses: [{ url: "/s", initial_value: "warning" }] }).initialStatus).toBe("warning");
  });

  test("leaves out invalid parts and keeps the rest", () => {
    const manifest = readManifest({
      name: 7,
      tags: ["outgoing", 1, null],
      private_settings: [{ type: "string" }, "not a setting", { name: "good", format: 5 }],
      subscriptions: [{ conditions: {} }, { url: "/n", conditions: "none", channels: "all" }],
      schedules: [{ url: "/no-time" }, { url: "/s", value: 5 }],
      tabs: { title: "not a list" },
      json: null,
    });
    expect(manifest).toMatchObject({
      name: undefined,
      tags: ["outgoing"],
      private_settings: [{ name: "good" }],
      subscriptions: [{ url: "/n", channels: undefined, segmentSettings: {}, eventSettings: {} }],
      schedules: [{ url: "/s", value: "5" }],
      tabs: [],
      json: [],
    });
  });

  test("never throws, and neither does checking", () => {
    const keys = Object.keys(COMPLETE);
    const nearly = fc.dictionary(fc.constantFrom(...keys), fc.jsonValue());
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), nearly), (value) => {
        readManifest(value);
        checkManifest(value);
      }),
    );
  });
});

describe("checking", () => {
  const problemsOf = (parts: object) =>
    checkManifest({ ...COMPLETE, ...parts }).map(({ path, severity }) => [severity, path]);

  test("names every required part that is missing", () => {
    expect(checkManifest({}).map(({ path, message }) => `${path} ${message}`)).toEqual([
      "name, version, settings_sections is required",
    ]);
  });

  test("says where a part has the wrong shape", () => {
    expect(problemsOf({ settings: [{ name: "color", type: "text" }] })).toEqual([["error", "settings.0.type"]]);
  });

  test("warns of unknown formats, which are shown as a plain field", () => {
    expect(problemsOf({ settings: [{ name: "color", type: "string", format: "rainbow" }] })).toEqual([
      ["warning", "settings.color.format"],
    ]);
  });

  test("warns of standard values of segments that Muster does not know", () => {
    const setting = (format: string, standard: unknown) => ({
      settings: [{ name: "color", type: "array", format, options: { standard } }],
    });
    const known = { ALL: "All", ANONYMOUS: "Unknown", IDENTIFIED: "Known" };
    expect(problemsOf(setting("accountSegment", known))).toEqual([]);
    expect(problemsOf(setting("event", { all_events: "All" }))).toEqual([]);
    const warning = ["warning", "settings.color.options.standard"];
    expect(problemsOf(setting("segment", { ...known, NOBODY: "None", SOME: "Some" }))).toEqual([warning, warning]);
    expect(problemsOf(setting("segment", [{ value: "SOME", label: "Some" }]))).toEqual([warning]);
  });

  test("warns of sections that name undeclared settings", () => {
    expect(problemsOf({ settings_sections: [{ title: "T", properties: ["private_settings.other"] }] })).toEqual([
      ["warning", "settings_sections.0.properties"],
    ]);
  });

  test("requires `index` of a connector with the tag `client`", () => {
    expect(problemsOf({ index: undefined })).toEqual([["error", "index"]]);
  });
});
