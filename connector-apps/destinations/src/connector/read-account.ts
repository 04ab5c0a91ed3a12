import { ConfigurationError, type ConnectorRecord } from "@muster/connector";
import { isObject, nonEmptyText } from "@muster/protocol";
import { AUDIENCE_PREFIX, SETTING } from "../manifest/setting-names.js";
import { isSecretSetting, settingOfField } from "../manifest/setting-of-field.js";
import type { OAuthTokens } from "../package/definition.js";
import type { DestinationRecord, FieldRecord } from "../record/destination-record.js";
import type { Account } from "../thread/calls.js";

/** Who a call is for, from the settings of a connector. Throws when something is missing that every call needs. */
export function readAccount(connector: ConnectorRecord, record: DestinationRecord): Account {
  const missing = missingSettings(connector, record);
  if (missing.length > 0) throw new ConfigurationError(`Give these settings first: ${missing.join(", ")}.`);
  return accountSoFar(connector, record);
}

/** The same without settings that are missing, for a form that somebody fills in. */
export function accountSoFar({ id, private_settings: stored }: ConnectorRecord, record: DestinationRecord): Account {
  const tokens = tokensIn(stored);
  return {
    connectorId: id,
    settings: valuesOf(record.settings, stored),
    ...(record.scheme === "oauth2" ? { tokens } : {}),
    secrets: secretsIn(stored, record, tokens),
  };
}

/** The titles of settings without which no call can succeed. */
export function missingSettings({ private_settings: stored }: ConnectorRecord, record: DestinationRecord): string[] {
  const missing = record.settings
    .filter(({ key, required }) => required === true && isUnset(stored[key]))
    .map(({ label }) => label);
  if (record.scheme === "oauth2" && tokensIn(stored).access_token === undefined) missing.push("Sign in");
  return missing;
}

export function readAudienceSettings(
  { private_settings: stored }: ConnectorRecord,
  { audience }: DestinationRecord,
): Record<string, unknown> {
  return valuesOf(audience?.fields ?? [], stored, AUDIENCE_PREFIX);
}

/** The tokens, with the app that they are for: refreshing needs both. */
function tokensIn(stored: Readonly<Record<string, unknown>>): OAuthTokens {
  const tokens = isObject(stored[SETTING.oauthTokens]) ? stored[SETTING.oauthTokens] : {};
  const { access_token, refresh_token } = tokens as Record<string, unknown>;
  const values = {
    access_token: nonEmptyText(access_token),
    refresh_token: nonEmptyText(refresh_token),
    clientId: nonEmptyText(stored[SETTING.clientId]),
    clientSecret: nonEmptyText(stored[SETTING.clientSecret]),
    refresh_token_url: nonEmptyText(stored[SETTING.tokenUrl]),
  };
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Forms store numbers and flags as texts too. */
function valuesOf(
  fields: readonly FieldRecord[],
  stored: Readonly<Record<string, unknown>>,
  prefix = "",
): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap(({ key, type }) => {
      const value = stored[prefix + key];
      if (isUnset(value)) return [];
      if (type === "boolean") return [[key, value === true || value === "true"]];
      return [[key, type === "number" || type === "integer" ? Number(value) : value]];
    }),
  );
}

function secretsIn(
  stored: Readonly<Record<string, unknown>>,
  record: DestinationRecord,
  tokens: OAuthTokens,
): string[] {
  const settings = record.settings.map((field) => settingOfField(field)).filter(isSecretSetting);
  const { access_token, refresh_token, clientSecret } = tokens;
  return [...settings.map(({ name }) => stored[name]), access_token, refresh_token, clientSecret].flatMap(
    (value) => nonEmptyText(value) ?? [],
  );
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}
