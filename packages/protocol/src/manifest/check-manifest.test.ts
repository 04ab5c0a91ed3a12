import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkManifest } from "./check-manifest.js";
import { readManifest } from "./read-manifest.js";

const PLAIN = { name: "Plain", version: "1.0.0", settings_sections: [] };

/** The problems of a manifest with these parts, as lines of text. */
function problems(parts: object): string[] {
  return checkManifest({ ...PLAIN, ...parts }).map(({ severity, path, message }) => `${severity} ${path} ${message}`);
}

const setting = (parts: object) => ({ private_settings: [{ name: "s", type: "array", ...parts }] });

test("only a format that the form does not know is warned of", () => {
  for (const format of ["segment", "password", "information"]) expect(problems(setting({ format }))).toEqual([]);
  expect(problems(setting({ format: "passwrd" }))).toEqual([
    'warning private_settings.s.format the format "passwrd" is not known: the setting is shown as a plain field',
  ]);
});

describe("the options of a setting", () => {
  test.each([
    ["loadOptions", "/fields"],
    ["allowCreate", true],
    ["placeholder", "Pick one"],
    ["source", "crm"],
    ["direction", "incoming"],
    ["direction", "outgoing"],
    ["showOverwriteToggle", false],
    ["pattern", "^[a-z_]+$"],
    ["name", "CRM"],
    ["strategy", { scope: ["read", "write"], tokenURL: "https://crm.example/token" }],
    ["strategy", { scope: "read" }],
    ["confirm", { fireAndForget: true, action: "fetch", text: "Sure?", button: "Start", entity: "users" }],
    ["standard", { ALL: "Everybody" }],
    ["standard", [{ value: "ALL", label: "Everybody" }]],
    ["itemsPerRow", 2],
  ])("%s may be %j", (name, value) => {
    expect(problems(setting({ options: { [name]: value } }))).toEqual([]);
  });

  test.each([
    ["loadOptions", 5, "must be string"],
    ["allowCreate", "sometimes", "must be boolean"],
    ["placeholder", ["Pick one"], "must be string"],
    ["source", {}, "must be string"],
    ["direction", "both", "must be one of incoming, outgoing"],
    ["showOverwriteToggle", 1, "must be boolean"],
    ["pattern", 7, "must be string"],
    ["pattern", "([a-z]+", /^must be a regular expression: .*[Uu]nterminated group/],
    ["pattern", "a".repeat(501), "must be a regular expression of at most 500 characters"],
    ["name", false, "must be string"],
    ["strategy", "oauth2", "must be object"],
    ["standard", "ALL", "must be an object of values and labels"],
  ])("%s may not be %j", (name, value, message) => {
    const [problem, ...others] = checkManifest({ ...PLAIN, ...setting({ options: { [name]: value } }) });
    expect(problem).toMatchObject({ path: `private_settings.0.options.${name}`, severity: "error" });
    expect(problem?.message).toMatch(message);
    expect(others).toEqual([]);
  });

  test("problems name the place inside an option", () => {
    const options = { strategy: { scope: [1] }, confirm: { fireAndForget: "later", text: 5 }, standard: { ALL: true } };
    expect(problems(setting({ options })).sort()).toEqual([
      "error private_settings.0.options.confirm.fireAndForget must be boolean",
      "error private_settings.0.options.confirm.text must be string",
      "error private_settings.0.options.standard.ALL must be a text: the label",
      "error private_settings.0.options.strategy.scope must be a text or a list of texts",
    ]);
  });

  test("problems name the place in a list of standard values", () => {
    const options = { standard: [{ value: "ALL", label: "Everybody" }, "NOBODY"] };
    expect(problems(setting({ options }))).toEqual([
      "error private_settings.0.options.standard.1 must have a `value` and a `label`",
    ]);
  });

  test("options that are no object are a problem", () => {
    expect(problems(setting({ options: "none" }))).toEqual(["error private_settings.0.options must be object"]);
  });

  test("options of columns and of parts are checked too", () => {
    const column = { type: "string", format: "select", options: { allowCreate: 3, pattern: "(" } };
    const table = setting({ format: "table", items: { type: "object", properties: { field: column } } });
    expect(problems(table)).toEqual([
      "error private_settings.0.items.properties.field.options.allowCreate must be boolean",
      expect.stringMatching(/^error private_settings\.0\.items\.properties\.field\.options\.pattern must be a regular/),
    ]);
    const parts = { private_settings: [{ name: "s", type: "object", properties: { a: { options: { source: 1 } } } }] };
    expect(problems(parts)).toEqual(["error private_settings.0.properties.a.options.source must be string"]);
  });

  test("options of buttons among the JSON endpoints are checked too", () => {
    const json = [{ url: "/fetch", name: "fetch", options: { confirm: { button: 5 } } }];
    expect(problems({ json })).toEqual(["error json.0.options.confirm.button must be string"]);
  });

  test("true and false may be texts, with a warning", () => {
    const given = setting({ required: "true", options: { allowCreate: "true", showOverwriteToggle: "false" } });
    expect(problems(given)).toEqual([
      "warning private_settings.0.required is a text and is read as true",
      "warning private_settings.0.options.allowCreate is a text and is read as true",
      "warning private_settings.0.options.showOverwriteToggle is a text and is read as false",
    ]);
    expect(readManifest(given).private_settings).toMatchObject([
      { required: true, options: { allowCreate: true, showOverwriteToggle: false } },
    ]);
  });

  test("reading leaves out options with problems and keeps the others, also those it does not know", () => {
    const options = { direction: "both", pattern: "(", standard: { ALL: 1 }, source: "crm", autoFill: true };
    expect(readManifest(setting({ options })).private_settings[0]?.options).toEqual({ source: "crm", autoFill: true });
    expect(readManifest(setting({ options: 5 })).private_settings[0]).not.toHaveProperty("options");
  });
});

describe("channels", () => {
  test.each([
    "user:update",
    "account:delete",
    "users_segment:update",
    "segment:update",
    "segment:delete",
    "ship:update",
  ])("%s is known", (channel) => {
    const conditions = { channels: { only: [channel] } };
    expect(problems({ subscriptions: [{ url: "/n", conditions, channels: [{ channel }] }] })).toEqual([]);
  });

  test("an unknown one is a problem wherever it is named: no message ever comes from it", () => {
    const parts = {
      subscriptions: [
        {
          url: "/n",
          conditions: { channels: { only: ["user:update", "user:created"] } },
          channels: [{ channel: "x" }],
        },
      ],
      batches: [{ url: "/batch", channels: [{ channel: "user_report:update" }] }],
    };
    expect(problems(parts)).toEqual([
      'error subscriptions.0.conditions.channels.only.1 "user:created" is not a channel',
      'error subscriptions.0.channels.0.channel "x" is not a channel',
      'error batches.0.channels.0.channel "user_report:update" is not a channel',
    ]);
  });

  test("segments filter the channels of users and accounts only", () => {
    const segments = { "ship:update": ["private_settings.s"] };
    expect(problems({ ...setting({}), subscriptions: [{ url: "/n", conditions: { segments } }] })).toEqual([
      'error subscriptions.0.conditions.segments.ship:update segments filter "user:update" and "account:update" only',
    ]);
  });
});

describe("paths of settings", () => {
  test("of filters, schedules and sections may name what is declared", () => {
    const parts = {
      ...setting({ name: "s", type: "array" }),
      settings: [{ name: "plan", type: "object" }],
      deployment_settings: [{ name: "label", type: "string" }],
      json: [{ url: "/fetch", name: "fetch" }],
      subscriptions: [
        {
          url: "/n",
          conditions: { segments: { "user:update": ["private_settings.s"], "account:update": "private_settings.s" } },
          channels: [{ channel: "user:update", "events-whitelist": ["private_settings.s"] }],
        },
      ],
      schedules: [{ url: "/s", value_from: "settings.plan.every" }],
      settings_sections: [{ title: "T", properties: ["json.fetch", "deployment_settings.label", "settings.plan"] }],
    };
    expect(problems(parts)).toEqual([]);
  });

  test("that are not declared are warned of: the connector may write such settings itself", () => {
    const parts = {
      subscriptions: [
        {
          url: "/n",
          conditions: { segments: { "user:update": ["private_settings.missing"] } },
          channels: [{ channel: "user:update", "events-whitelist": ["private_settings.events"] }],
        },
      ],
      schedules: [{ url: "/s", value_from: "settings.every", default: "5" }],
      settings_sections: [{ title: "T", properties: ["private_settings.other"] }],
    };
    expect(problems(parts)).toEqual([
      'warning settings_sections.0.properties "private_settings.other" is not declared',
      'warning subscriptions.0.conditions.segments.user:update.0 "private_settings.missing" is not declared',
      'warning subscriptions.0.channels.0.events-whitelist.0 "private_settings.events" is not declared',
      'warning schedules.0.value_from "settings.every" is not declared',
    ]);
  });

  test("that can never have a value are problems", () => {
    const parts = {
      deployment_settings: [{ name: "every", type: "string" }],
      subscriptions: [{ url: "/n", conditions: { segments: { "user:update": ["segments"] } } }],
      schedules: [{ url: "/s", value_from: "deployment_settings.every" }],
    };
    expect(problems(parts)).toEqual([
      'error subscriptions.0.conditions.segments.user:update.0 "segments" is not the path of a setting: it must begin with settings. or private_settings.',
      'error schedules.0.value_from "deployment_settings.every" is not the path of a setting: it must begin with settings. or private_settings.',
    ]);
  });
});

describe("schedules", () => {
  test.each([
    [{ value: 5 }],
    [{ value: "30" }],
    [{ value_from: "private_settings.s" }],
    [{ type: "cron", value: "*/5 * * * *" }],
    [{ type: "interval", value: "often", default: "60" }],
  ])("%j can be called", (schedule) => {
    expect(problems({ ...setting({}), schedules: [{ url: "/s", ...schedule }] })).toEqual([]);
  });

  test.each([
    [{}, "has no `value` and no `value_from`: it is never called"],
    [{ value: "often" }, "has no usable number of minutes: it is never called"],
    [{ value: 0 }, "has no usable number of minutes: it is never called"],
    [{ default: "60" }, "has no `value` and no `value_from`: it is never called"],
  ])("%j cannot, and neither can such a status", (schedule, message) => {
    expect(problems({ schedules: [{ url: "/s", ...schedule }] })).toEqual([`error schedules.0 ${message}`]);
    expect(problems({ status: { url: "/s", ...schedule } })).toEqual([`error status ${message}`]);
    expect(problems({ statuses: [{ url: "/s", ...schedule }] })).toEqual([`error statuses.0 ${message}`]);
  });
});

test("a section without a title is warned of and shown without one", () => {
  const sections = [{ properties: [] }, { title: "", properties: [] }];
  expect(problems({ settings_sections: sections })).toEqual([
    "warning settings_sections.0.title is missing: the section is shown without a title",
    "warning settings_sections.1.title is missing: the section is shown without a title",
  ]);
  expect(readManifest({ settings_sections: sections }).settings_sections).toMatchObject([{ title: "" }, { title: "" }]);
});

test("a default that the setting itself would refuse is warned of", () => {
  const rows = [{ hull: "email", service: "mail" }, { hull: 5 }];
  const parts = {
    settings: [{ name: "mode", type: "string", enum: ["fast", "safe"], default: "slow" }],
    private_settings: [
      { name: "fine", type: "number", default: "5" },
      { name: "mapping", type: "array", format: "traitMapping", default: rows },
    ],
  };
  expect(problems(parts)).toEqual([
    "warning settings.0.default must be one of fast, safe",
    "warning private_settings.1.default.1.hull must be a text: the attribute",
    "warning private_settings.1.default.1.service is required: the field of the service",
  ]);
});

test("a setting that is declared twice is warned of", () => {
  const twice = {
    private_settings: [
      { name: "a", type: "string" },
      { name: "a", type: "number" },
    ],
  };
  expect(problems(twice)).toEqual(['warning private_settings.1.name "a" is declared twice']);
});

test("checking and reading never throw, whatever the options and references are", () => {
  const anything = fc.jsonValue();
  const options = fc.dictionary(
    fc.constantFrom("pattern", "direction", "standard", "strategy", "confirm", "allowCreate", "loadOptions"),
    anything,
  );
  const manifest = fc.record({
    private_settings: fc.array(fc.record({ name: anything, options: fc.oneof(options, anything), items: anything })),
    subscriptions: fc.array(fc.record({ url: fc.string(), conditions: anything, channels: anything })),
    schedules: fc.array(fc.record({ url: fc.string(), value_from: anything })),
  });
  fc.assert(
    fc.property(manifest, (given) => {
      readManifest(given);
      checkManifest(given);
    }),
  );
});
