import { compressSync, uncompressSync } from "snappy";

/**
 * Serialises a payload of the logs as JSON, compressed with snappy. Snappy reduces it to a sixth. Deflate at its fastest
 * level reduces it to a tenth but takes five times as long. PostgreSQL's own compression (pglz) is slower, and its faster
 * one (lz4) is not in every build. The synchronous functions are used because memory that one thread allocates and
 * another frees grew to 2 GB in an import of a million users.
 */
export function compress(value: unknown): Buffer {
  return compressSync(JSON.stringify(value));
}

/** Compresses a payload that is JSON already. */
export function compressJson(json: Buffer): Buffer {
  return compressSync(json);
}

/** Returns the value that was given to `compress`. The caller knows its type from the log it reads. */
export function decompress<Value>(compressed: Buffer): Value {
  return JSON.parse(uncompressSync(compressed, { asBuffer: false }) as string) as Value;
}

/** How many bytes a payload has before it is compressed. Snappy writes it at the start, seven bits a byte, the lowest first. */
export function decompressedSize(compressed: Buffer): number {
  let size = 0;
  for (let at = 0; at < compressed.length; at++) {
    const byte = compressed[at]!;
    size += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) return size;
  }
  return size;
}

/**
 * About how much memory takes what is so long as JSON: two bytes for each character of a text, and more than the text
 * for the objects around short ones. The values themselves are not walked through, because there are many of them.
 */
export function memoryOf(jsonLength: number): number {
  return 4 * jsonLength;
}
