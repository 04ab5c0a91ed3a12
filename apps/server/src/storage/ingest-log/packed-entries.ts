import type { Entry } from "../../domain/entries/entry.js";
import { packJson, unpack } from "../logs/packing.js";

/** Packs a list of entries that is JSON already, as a row of the ingestion log holds it. */
export function packEntries(list: Buffer): Buffer {
  return packJson(list);
}

export function unpackEntries({ payload }: { payload: Buffer }): Entry[] {
  return unpack<Entry[]>(payload);
}
