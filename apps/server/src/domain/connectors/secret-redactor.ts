import { isObject } from "@muster/protocol";
import type { Connector } from "./connector.js";
import { SERVER_KEYS } from "./write-key.js";

// Shorter private settings are words like "eu" or "admin". They are not secret, and removing them would garble every text.
const SHORTEST_SETTING = 8;
const MARK = "[private]";

/** Takes the secret, the private settings and the write keys of a connector out of texts that came from it and are stored. */
export class SecretRedactor {
  readonly #secrets: readonly string[];

  constructor({ secret, privateSettings, manifest }: Pick<Connector, "secret" | "privateSettings" | "manifest">) {
    const choices = new Set(choicesIn(manifest.private_settings));
    const settings = textsIn(privateSettings).filter((text) => text.length >= SHORTEST_SETTING && !choices.has(text));
    const plain = [secret, ...settings];
    const written = plain.flatMap((text) => [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)]);
    // The longest first, because one secret may be a part of another.
    this.#secrets = [...new Set(written)].filter((text) => text !== "").sort((a, b) => b.length - a.length);
  }

  text(given: string): string {
    return this.#secrets.reduce((text, secret) => text.replaceAll(secret, MARK), given).replaceAll(SERVER_KEYS, MARK);
  }

  /** The same for every text within a JSON value, keys included. */
  json(given: unknown): unknown {
    if (typeof given === "string") return this.text(given);
    if (Array.isArray(given)) return given.map((item) => this.json(item));
    return isObject(given) ? this.object(given) : given;
  }

  object(given: Record<string, unknown>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(given).map(([key, value]) => [this.text(key), this.json(value)]));
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

/** The texts that a manifest lists for people to choose from. The manifest is public, so they are no secrets. */
function choicesIn(declared: unknown): string[] {
  if (Array.isArray(declared)) return declared.flatMap(choicesIn);
  if (!isObject(declared)) return [];
  return [...(Array.isArray(declared.enum) ? textsIn(declared.enum) : []), ...choicesIn(declared.items)];
}
