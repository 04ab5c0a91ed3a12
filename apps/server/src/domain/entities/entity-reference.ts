import { isStorableText, typeOfId } from "@muster/protocol";

/**
 * How an entry names an entity: by its object id, or by a uid of the sender with or without a url. A uid that is a web
 * address is also the url.
 */
export type EntityReference =
  | { kind: "id"; id: string }
  | { kind: "uid"; uid: string; url: string | undefined }
  | { kind: "unusable"; reason: string };

// An index entry of PostgreSQL has at most 2,704 bytes, and it also holds the organization and the connector.
export const MAX_UID_BYTES = 2_000;

/**
 * Reads which entity a track entry is about: `entity_id` (an object id or a uid), `entity_url`, or both. Properties of
 * the event are not read for this, because their names are up to the sender.
 */
export function readEntityReference(body: Record<string, unknown>): EntityReference | undefined {
  const id = textOf(body.entity_id);
  const url = textOf(body.entity_url);
  if (id === undefined && url === undefined) return undefined;
  if (id !== undefined && typeOfId(id) === "entity") return { kind: "id", id };
  if (url !== undefined && !isWebAddress(url))
    return unusable(`"${url.slice(0, 100)}" is not an http or https address.`);
  const uid = id ?? url ?? "";
  if (!isStorableText(uid)) return unusable("An entity id contains characters that cannot be stored.");
  if (Buffer.byteLength(uid) > MAX_UID_BYTES) return unusable(`An entity id has at most ${MAX_UID_BYTES} bytes.`);
  return { kind: "uid", uid, url: url ?? (isWebAddress(uid) ? uid : undefined) };
}

export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

function unusable(reason: string): EntityReference {
  return { kind: "unusable", reason };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
