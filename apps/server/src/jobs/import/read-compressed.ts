import { LANE } from "../../domain/entries/lanes.js";
import { compressLanes } from "../../pipeline/accept/compress-lanes.js";
import type { CompressedPart } from "../../pipeline/accept/lane-compressor.js";
import { type ChunkContent, type ImportReading, readEntries } from "./read-entries.js";

/** A chunk of an import, ready to be appended to the log. */
export interface CompressedChunk extends ChunkContent {
  parts: CompressedPart[];
}

/** Reads an import, and compresses the entries of each chunk as rows of the log. */
export async function* readCompressed(reading: ImportReading, signal?: AbortSignal): AsyncGenerator<CompressedChunk> {
  for await (const { entries, ...content } of readEntries(reading, signal)) {
    yield { ...content, parts: await compressLanes(entries, LANE.bulk) };
  }
}
