import type { Refusal } from "@muster/protocol";
import type { AdmittedBody, BodyContext, BodyLimits } from "../admit-body.js";
import type { PackedPart } from "../lane-packer.js";

/** What an admission thread gets when it starts. */
export interface AdmissionThreadData {
  brandWord: string;
  limits: BodyLimits;
}

/** A body for an admission thread. Its bytes are given away. */
export interface BodyMessage {
  id: number;
  body: Uint8Array;
  context: BodyContext;
}

/** The first message of a thread. */
export interface StartedMessage {
  /** The number by which the system knows the thread; undefined on systems other than Linux. */
  threadId: number | undefined;
}

/** What became of a body. */
export type BodyAnswer =
  | { id: number; admitted: SentBody }
  | { id: number; refusal: Pick<Refusal, "code" | "message" | "details"> }
  /** An error in our code, with its stack. */
  | { id: number; fault: string };

/** An admitted body on its way between two threads. All rows are in one buffer, one after the other. */
export interface SentBody extends Omit<AdmittedBody, "parts" | "digest"> {
  digest: Uint8Array;
  parts: (Omit<PackedPart, "payload"> & { length: number })[];
  rows: Uint8Array;
}

/**
 * Prepares an admitted body for another thread. The rows are copied, because memory of the compressor cannot be given
 * away.
 */
export function packAnswer({ parts, ...rest }: AdmittedBody): SentBody {
  const length = parts.reduce((sum, { payload }) => sum + payload.length, 0);
  const rows = Buffer.allocUnsafeSlow(length);
  let start = 0;
  const places = parts.map(({ payload, ...part }) => {
    start += payload.copy(rows, start);
    return { ...part, length: payload.length };
  });
  return { ...rest, parts: places, rows };
}

/** The admitted body that was given to `packAnswer`. */
export function unpackAnswer({ parts, rows, digest, ...rest }: SentBody): AdmittedBody {
  let start = 0;
  const filled = parts.map(({ length, ...part }) => {
    const payload = bufferOf(rows.subarray(start, start + length));
    start += length;
    return { ...part, payload };
  });
  return { ...rest, digest: bufferOf(digest), parts: filled };
}

/** The same bytes as a buffer. Between threads a buffer becomes a plain array of bytes. */
export function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}
