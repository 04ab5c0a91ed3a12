import { ConfigurationError, type ConnectorRecord } from "@muster/connector";
import { nonEmptyText, withoutUserAttributePrefix } from "@muster/protocol";

export const KINDS = [
  "user.created",
  "user.updated",
  "user.event",
  "segment.entered",
  "segment.left",
  "account.updated",
] as const;

export type Kind = (typeof KINDS)[number];

export interface Settings {
  url: string;
  headers: Record<string, string>;
  signingSecret: string | undefined;
  triggers: ReadonlySet<string>;
  /** Names of attributes without their prefix; empty means all. */
  watchedAttributes: ReadonlySet<string>;
  /** Empty means all. */
  watchedEvents: ReadonlySet<string>;
  /** The parsed JSON; undefined when the whole message is sent. */
  template: unknown;
}

/** Reads the settings. Throws a `ConfigurationError` that says what to change when they are missing or wrong. */
export function readSettings({ private_settings: given }: ConnectorRecord): Settings {
  const { url, template } = given;
  if (typeof url !== "string" || url.trim() === "") throw new ConfigurationError("Give the URL to send to.");
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new ConfigurationError(`"${url}" is not an http or https URL.`);
  return {
    url,
    headers: readHeaders(given.headers),
    signingSecret: nonEmptyText(given.signing_secret),
    triggers: new Set(Array.isArray(given.triggers) ? texts(given.triggers) : KINDS),
    watchedAttributes: new Set(texts(given.watched_attributes).map(withoutUserAttributePrefix)),
    watchedEvents: new Set(texts(given.watched_events)),
    template: typeof template === "string" && template.trim() !== "" ? parseTemplate(template) : undefined,
  };
}

function parseTemplate(template: string): unknown {
  try {
    return JSON.parse(template);
  } catch (cause) {
    throw new ConfigurationError(`The template is not JSON: ${(cause as Error).message}`, { cause });
  }
}

function readHeaders(given: unknown): Record<string, string> {
  const rows: { name?: unknown; value?: unknown }[] = Array.isArray(given) ? given : [];
  return Object.fromEntries(
    rows.flatMap(({ name, value }) => (typeof name === "string" && name !== "" ? [[name, String(value ?? "")]] : [])),
  );
}

function texts(given: unknown): string[] {
  return Array.isArray(given) ? given.filter((each): each is string => typeof each === "string") : [];
}
