import { isStorableText, typeOfId } from "@muster/protocol";

/**
 * How a record names an entity: by its object id, or by a uid of the sender's own, with or without an address. A uid
 * that is an address is one.
 */
export type EntityReference =
  | { kind: "id"; id: string }
  | { kind: "uid"; uid: string; url: string | undefined }
  | { kind: "unusable"; reason: string };

// What an index entry can hold, with room for the keys before it.
export const MAX_UID_BYTES = 2_000;

/**
 * What a track entry acts on: `entity_id` (an object id or a uid), `entity_url`, or both. Properties are the sender's own
 * and name no entity.
 */
export function readEntityReference(body: Record<string, unknown>): EntityReference | undefined {
  const id = textOf(body.entity_id);
  const url = textOf(body.entity_url);
  if (id === undefined && url === undefined) return undefined;
  if (id !== undefined && typeOfId(id) === "entity") return { kind: "id", id };
  if (url !== undefined && !isWebAddress(url))
    return unusable(`"${url.slice(0, 100)}" is not an http or https address.`);
  const uid = id ?? url ?? "";
  if (!isStorableText(uid)) return unusable("An entity id holds characters that cannot be stored.");
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
