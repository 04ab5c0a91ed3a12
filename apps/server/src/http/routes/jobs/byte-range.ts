import type { ByteRange } from "../../../domain/jobs/byte-range.js";

/**
 * The range that a `Range` header asks for. Undefined for the whole file, also when the header names several ranges,
 * which a server may ignore. `none` when the file has no such part.
 */
export function readRange(header: string | undefined, size: number): ByteRange | "none" | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "none" : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  return start >= size || start > end ? "none" : { start, end };
}
