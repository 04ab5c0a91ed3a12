import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, deflateRaw } from "node:zlib";
import {
  type BackupEnd,
  type BackupHeader,
  FRAME,
  FRAME_HEAD_BYTES,
  HASH_BYTES,
  MAGIC,
  type PartEnd,
  type PartHead,
  PIECE_BYTES,
} from "./backup-format.js";

const compress = promisify(deflateRaw);

// How many pieces are compressed at the same time, each in a thread of its own. Each holds one piece in memory.
const PIECES_AT_ONCE = 3;

/** Makes the bytes of a backup file, in the order of the calls. Everything that a method returns must be written. */
export class BackupWriter {
  readonly #hash = createHash("sha256");
  #parts = 0;
  #bytes = 0;

  begin(header: BackupHeader): Buffer {
    this.#hash.update(MAGIC);
    return Buffer.concat([MAGIC, this.#frame(FRAME.header, json(header))]);
  }

  /** One part. `rows` is asked when the content has ended. */
  async *part(head: PartHead, content: AsyncIterable<Buffer>, rows?: () => number): AsyncGenerator<Buffer> {
    yield this.#frame(FRAME.part, json(head));
    let bytes = 0;
    const waiting: Promise<Buffer>[] = [];
    for await (const piece of piecesOf(content)) {
      bytes += piece.length;
      const compressed = compressPiece(piece);
      // A failure is thrown when the reader reaches this piece. Until then it must not count as an unhandled rejection.
      compressed.catch(() => {});
      waiting.push(compressed);
      if (waiting.length >= PIECES_AT_ONCE) yield this.#frame(FRAME.data, await waiting.shift()!);
    }
    for (const compressed of waiting) yield this.#frame(FRAME.data, await compressed);
    this.#parts += 1;
    this.#bytes += bytes;
    yield this.#sealedFrame(FRAME.partEnd, { bytes, ...(rows ? { rows: rows() } : {}) } satisfies PartEnd);
  }

  end(): Buffer {
    return this.#sealedFrame(FRAME.end, { parts: this.#parts, bytes: this.#bytes } satisfies BackupEnd);
  }

  /** A frame that closes with the hash of everything before it. */
  #sealedFrame(kind: number, content: PartEnd | BackupEnd): Buffer {
    const payload = json(content);
    const frame = [frameHead(kind, payload.length + HASH_BYTES), payload];
    for (const bytes of frame) this.#hash.update(bytes);
    const hash = this.#hash.copy().digest();
    this.#hash.update(hash);
    return Buffer.concat([...frame, hash]);
  }

  #frame(kind: number, payload: Buffer): Buffer {
    const frame = Buffer.concat([frameHead(kind, payload.length), payload]);
    this.#hash.update(frame);
    return frame;
  }
}

function frameHead(kind: number, length: number): Buffer {
  const head = Buffer.allocUnsafe(FRAME_HEAD_BYTES);
  head.writeUInt8(kind, 0);
  head.writeUInt32BE(length, 1);
  return head;
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

/** The length before compression, and the compressed bytes. */
async function compressPiece(piece: Buffer): Promise<Buffer> {
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32BE(piece.length, 0);
  return Buffer.concat([length, await compress(piece, { level: constants.Z_BEST_SPEED })]);
}

/** The content in pieces of `PIECE_BYTES`; the last one may be smaller. */
async function* piecesOf(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let length = 0;
  for await (const chunk of content) {
    waiting.push(chunk);
    length += chunk.length;
    if (length < PIECE_BYTES) continue;
    const all = Buffer.concat(waiting, length);
    let start = 0;
    for (; length - start >= PIECE_BYTES; start += PIECE_BYTES) yield all.subarray(start, start + PIECE_BYTES);
    waiting = start < length ? [all.subarray(start)] : [];
    length -= start;
  }
  if (length > 0) yield Buffer.concat(waiting, length);
}
