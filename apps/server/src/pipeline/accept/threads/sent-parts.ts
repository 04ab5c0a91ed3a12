import type { CompressedPart } from "../lane-compressor.js";

/** Compressed parts on their way between two threads. All rows are in one buffer, one after the other. */
export interface SentParts {
  parts: (Omit<CompressedPart, "payload"> & { length: number })[];
  rows: Uint8Array;
}

/** Prepares parts for another thread. The rows are copied, because memory of the compressor cannot be given away. */
export function sendParts(parts: readonly CompressedPart[]): SentParts {
  const length = parts.reduce((sum, { payload }) => sum + payload.length, 0);
  const rows = Buffer.allocUnsafeSlow(length);
  let start = 0;
  const places = parts.map(({ payload, ...part }) => {
    start += payload.copy(rows, start);
    return { ...part, length: payload.length };
  });
  return { parts: places, rows };
}

export function receiveParts({ parts, rows }: SentParts): CompressedPart[] {
  const all = bufferOf(rows);
  let start = 0;
  return parts.map(({ length, ...part }) => {
    const payload = all.subarray(start, start + length);
    start += length;
    return { ...part, payload };
  });
}

/** The same bytes as a buffer. Between threads a buffer becomes a plain array of bytes. */
export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}
