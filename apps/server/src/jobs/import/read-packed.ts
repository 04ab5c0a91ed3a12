import { LANE } from "../../domain/entries/lanes.js";
import type { PackedPart } from "../../pipeline/accept/lane-packer.js";
import { packLanes } from "../../pipeline/accept/pack-lanes.js";
import { type ChunkContent, type ImportReading, readEntries } from "./read-entries.js";

/** A chunk of an import, ready to be appended to the log. */
export interface PackedChunk extends ChunkContent {
  parts: PackedPart[];
}

/** Reads an import, and compresses the entries of each chunk as rows of the log. */
export async function* readPacked(reading: ImportReading, signal?: AbortSignal): AsyncGenerator<PackedChunk> {
  for await (const { entries, ...content } of readEntries(reading, signal)) {
    yield { ...content, parts: await packLanes(entries, LANE.bulk) };
  }
}
