/** Turns the names that programs use into words that people know. Developers see the names in logs, JSON and payloads. */

const USER_PREFIX = "traits_";
const ACCOUNT_PREFIX = "account.";

const FIELDS: Record<string, string> = {
  id: "ID",
  email: "E-mail",
  external_id: "External ID",
  anonymous_ids: "Anonymous IDs",
  segment_ids: "Segments",
  last_known_ip: "Last known IP",
  event_id: "Event ID",
  anonymous_id: "Anonymous ID",
  session_id: "Session ID",
  url: "URL",
  ip: "IP",
};

/** The name of an attribute without what queries put before it. @example attributeName("traits_plan") // "plan" */
export function attributeName(key: string): string {
  const name = key.startsWith(ACCOUNT_PREFIX) ? key.slice(ACCOUNT_PREFIX.length) : key;
  return name.startsWith(USER_PREFIX) ? name.slice(USER_PREFIX.length) : name;
}

/** The name of a column. Attributes keep their own names. @example fieldName("account.created_at") // "Account: Created at" */
export function fieldName(key: string): string {
  if (key.startsWith(ACCOUNT_PREFIX)) return `Account: ${fieldName(key.slice(ACCOUNT_PREFIX.length))}`;
  if (key.startsWith(USER_PREFIX)) return attributeName(key);
  return FIELDS[key] ?? sentenceCase(key.replaceAll("_", " "));
}

/** What people call a field: its label where somebody gave it one. */
export function labelOf(key: string, fields: readonly { key: string; label: string }[]): string {
  const label = fields.find((field) => field.key === key)?.label ?? "";
  if (label === "") return fieldName(key);
  return key.startsWith(ACCOUNT_PREFIX) ? `Account: ${label}` : label;
}

const CHANNELS: Record<string, string> = {
  "user:update": "A user changed",
  "user:delete": "A user was deleted",
  "user_report:update": "A user changed",
  "account:update": "An account changed",
  "account:delete": "An account was deleted",
  "account_report:update": "An account changed",
  "ship:update": "The connector's settings changed",
  "connector:update": "The connector's settings changed",
  "segment:update": "A segment changed",
  "segment:delete": "A segment was deleted",
  "users_segment:update": "A segment of users changed",
  "users_segment:delete": "A segment of users was deleted",
  "accounts_segment:update": "A segment of accounts changed",
  "accounts_segment:delete": "A segment of accounts was deleted",
};

/** What a message to a connector is about. @example channelWords("user:update") // "A user changed" */
export function channelWords(channel: string): string {
  return CHANNELS[channel] ?? sentenceCase(channel.replaceAll(/[:_]/g, " "));
}

const UNITS: Record<string, string> = {
  y: "year",
  M: "month",
  w: "week",
  d: "day",
  h: "hour",
  H: "hour",
  m: "minute",
  s: "second",
};

/** A time in a filter. Other texts stay. @example timeWords("now+3d") // "in 3 days"; timeWords("now-1d") // "1 day ago" */
export function timeWords(text: string): string {
  const [, sign, count, unit = ""] = /^now([+-])(\d+)([yMwdhHms])(?:\/[yMwdhHms])?$/.exec(text) ?? [];
  if (sign === undefined) return text;
  const span = `${count} ${UNITS[unit]}${count === "1" ? "" : "s"}`;
  return sign === "-" ? `${span} ago` : `in ${span}`;
}

export function sentenceCase(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
