import type { Entry } from "../../domain/entries/entry.js";
import { compressJson, decompress } from "../logs/compression.js";

/** Compresses a list of entries that is JSON already, as a row of the ingestion log holds it. */
export function compressEntries(list: Buffer): Buffer {
  return compressJson(list);
}

export function decompressEntries({ payload }: { payload: Buffer }): Entry[] {
  return decompress<Entry[]>(payload);
}
