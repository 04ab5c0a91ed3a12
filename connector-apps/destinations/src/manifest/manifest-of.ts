import type { Manifest, SettingEntry } from "@muster/protocol/manifest";
import { startingMappings } from "../mapping/starting-mappings.js";
import type { DestinationRecord } from "../record/destination-record.js";
import { oauthEndpoints } from "./oauth-endpoints.js";
import { AUDIENCE_PREFIX, SETTING } from "./setting-names.js";
import { settingOfField } from "./setting-of-field.js";

/** Most services take a call a second or more, and a call of the package has at most ten seconds. */
const MAX_SIZE = 100;
/** How often the credentials are tried, in minutes. Each try is a call of the service. */
const STATUS_MINUTES = 60;

/** The manifest of the connector that a destination becomes. */
export function manifestOf(record: DestinationRecord): Manifest {
  const connection = [...record.settings.map((field) => settingOfField(field)), ...oauthSettings(record)];
  const audience = (record.audience?.fields ?? []).map((field) => settingOfField(field, AUDIENCE_PREFIX));
  const filter = { user_segments: `private_settings.${SETTING.segments}` };
  return {
    name: record.title,
    version: record.version,
    description: record.summary,
    readme: "README.md",
    tags: ["smart-notifier", "kraken-exports", "outgoing", "destination"],
    private_settings: [...connection, ...audience, ...ownSettings(record)],
    settings_sections: [
      ...(connection.length > 0 ? [{ title: "Connection", step: "credentials", properties: pathsOf(connection) }] : []),
      ...(audience.length > 0
        ? [
            {
              title: "Audiences",
              description: "For the audience that is made at the service for each segment.",
              properties: pathsOf(audience),
            },
          ]
        : []),
      {
        title: "Who",
        properties: [`private_settings.${SETTING.segments}`, `private_settings.${SETTING.accountSegments}`],
      },
    ],
    subscriptions: [
      {
        url: "/smart-notifier",
        conditions: {
          segments: {
            "user:update": `private_settings.${SETTING.segments}`,
            "account:update": `private_settings.${SETTING.accountSegments}`,
          },
        },
        channels: [
          { channel: "user:update", handler: "userUpdate", options: { maxSize: MAX_SIZE, filter } },
          { channel: "account:update", handler: "accountUpdate", options: { maxSize: MAX_SIZE } },
          { channel: "ship:update", handler: "shipUpdate" },
        ],
      },
    ],
    json: [
      { url: "/form", handler: "form", options: { reads: true } },
      { url: "/preview", handler: "preview", options: { reads: true, respondWithError: true } },
      { url: "/choices", handler: "choices", options: { reads: true, respondWithError: true } },
    ],
    status: {
      url: "/status",
      handler: "status",
      type: "interval",
      value: STATUS_MINUTES,
      initial_value: connection.some(({ required, format }) => required || format === "oauth") ? "setupRequired" : "ok",
    },
  };
}

function ownSettings(record: DestinationRecord): SettingEntry[] {
  return [
    {
      name: SETTING.segments,
      title: "User segments",
      description:
        "Users in one of these segments are sent. For each segment that is chosen by its name, entering and leaving is sent too.",
      type: "array",
      format: "segment",
      options: { standard: { ALL: "All users" } },
      default: [],
    },
    {
      name: SETTING.accountSegments,
      title: "Account segments",
      description: "Accounts in one of these segments are sent.",
      type: "array",
      format: "accountSegment",
      options: { standard: { ALL: "All accounts" } },
      default: [],
    },
    {
      name: SETTING.mappings,
      title: "Mappings",
      description: "Which action runs when, and where its fields get their values. The tab Mapping edits them.",
      type: "array",
      format: "hidden",
      default: startingMappings(record),
    },
    {
      name: SETTING.audienceIds,
      title: "Audiences at the service",
      type: "object",
      format: "hidden",
      default: {},
    },
  ];
}

/** The package knows how to refresh tokens. Where people sign in, and with which app of theirs, are settings. */
function oauthSettings({ name, title, scheme }: DestinationRecord): SettingEntry[] {
  if (scheme !== "oauth2") return [];
  const { authorizationUrl, tokenUrl, scope } = oauthEndpoints(name);
  const text = (settingName: string, label: string, more: Partial<SettingEntry> = {}): SettingEntry => ({
    name: settingName,
    title: label,
    type: "string",
    ...more,
  });
  return [
    text(SETTING.clientId, "Client id", {
      description: `Of an app that you register at ${title}. Its redirect address is that of the sign-in below, with /callback.`,
      required: true,
    }),
    text(SETTING.clientSecret, "Client secret", { format: "password", required: true }),
    text(SETTING.authorizationUrl, "Address where people agree", {
      format: "uri",
      ...(authorizationUrl === undefined ? {} : { default: authorizationUrl }),
    }),
    text(SETTING.tokenUrl, "Address that gives tokens", {
      format: "uri",
      ...(tokenUrl === undefined ? {} : { default: tokenUrl }),
    }),
    text(SETTING.scope, "Scopes", scope === undefined ? {} : { default: scope }),
    {
      name: SETTING.oauth,
      title: "Sign in",
      type: "string",
      format: "oauth",
      url: "/auth",
      handler: "oauth",
      options: { name: title, tokenInUrl: false },
    },
    { name: SETTING.oauthTokens, title: "Tokens", type: "object", format: "hidden" },
  ];
}

function pathsOf(settings: readonly SettingEntry[]): string[] {
  return settings.filter(({ format }) => format !== "hidden").map(({ name }) => `private_settings.${name}`);
}
