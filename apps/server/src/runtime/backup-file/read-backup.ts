import { createHash, type Hash } from "node:crypto";
import { promisify } from "node:util";
import { inflateRaw } from "node:zlib";
import {
  type BackupEnd,
  BackupError,
  type BackupHeader,
  FRAME,
  FRAME_HEAD_BYTES,
  HASH_BYTES,
  MAGIC,
  MAX_FRAME_BYTES,
  type PartEnd,
  type PartHead,
  PIECE_BYTES,
} from "./backup-format.js";

// What the command needs besides reading a backup is exported here: this file is an entry of the package.
export { syncFolder } from "../disk/sync-folder.js";
export { type BackupEnd, BackupError, type BackupHeader, type PartHead } from "./backup-format.js";
export { openKey, type SealedKey } from "./sealed-key.js";

const decompress = promisify(inflateRaw);

/** One step through a backup file. */
export type BackupPiece =
  | { kind: "header"; header: BackupHeader }
  | { kind: "part"; part: PartHead }
  /** Some data of the part. `bytes` is its length before compression. */
  | { kind: "data"; bytes: number; read(): Promise<Buffer> }
  | ({ kind: "part end" } & PartEnd)
  | ({ kind: "end" } & BackupEnd);

/**
 * Goes through a backup file and checks it on the way. Throws a `BackupError` when it is damaged or truncated. Only
 * the piece `end` shows that everything before it was complete.
 */
export async function* readBackup(source: AsyncIterable<Buffer>): AsyncGenerator<BackupPiece> {
  const hash = createHash("sha256");
  const bytes = new ByteReader(source);
  const magic = await bytes.read(MAGIC.length);
  if (!magic.equals(MAGIC)) throw new BackupError("This is not a backup of Muster, or one of a newer Muster.");
  hash.update(magic);
  let place = "the header";
  let parts = 0;
  for (;;) {
    const head = await bytes.read(FRAME_HEAD_BYTES);
    const length = head.readUInt32BE(1);
    if (length > MAX_FRAME_BYTES) throw damaged(place);
    const payload = await bytes.read(length);
    const before = hash.copy().update(head);
    hash.update(head).update(payload);
    switch (head.readUInt8(0)) {
      case FRAME.header:
        yield { kind: "header", header: parse<BackupHeader>(payload, place) };
        break;
      case FRAME.part: {
        const part = parse<PartHead>(payload, place);
        place = nameOf(part);
        yield { kind: "part", part };
        break;
      }
      case FRAME.data: {
        const here = place;
        if (length < 4 || payload.readUInt32BE(0) > PIECE_BYTES) throw damaged(here);
        yield { kind: "data", bytes: payload.readUInt32BE(0), read: () => readPiece(payload, here) };
        break;
      }
      case FRAME.partEnd: {
        const end = parse<PartEnd>(sealedContent(payload, before, place), place);
        parts += 1;
        yield { kind: "part end", ...end };
        place = `what follows ${place}`;
        break;
      }
      case FRAME.end: {
        const end = parse<BackupEnd>(sealedContent(payload, before, place), place);
        if (end.parts !== parts) throw damaged(place);
        if (!(await bytes.isAtEnd())) throw new BackupError("The backup is damaged: something follows its end mark.");
        yield { kind: "end", ...end };
        return;
      }
      default:
        throw damaged(place);
    }
  }
}

function nameOf(part: PartHead): string {
  if (part.kind === "keys") return "the keys";
  return part.kind === "table" ? `the table ${part.name}` : `the file ${part.path}`;
}

function damaged(place: string, cause?: unknown): BackupError {
  return new BackupError(`The backup is damaged in ${place}. Use another one.`, { cause });
}

/** The caller names the type that a frame of this kind has. Its hash is checked at the end of the part. */
function parse<Content>(payload: Buffer, place: string): Content {
  try {
    return JSON.parse(payload.toString()) as Content;
  } catch (error) {
    throw damaged(place, error);
  }
}

/** The content of a frame that closes with the hash of everything before it, in `before` and in the content. */
function sealedContent(payload: Buffer, before: Hash, place: string): Buffer {
  const content = payload.subarray(0, -HASH_BYTES);
  if (!before.update(content).digest().equals(payload.subarray(-HASH_BYTES))) throw damaged(place);
  return content;
}

async function readPiece(payload: Buffer, place: string): Promise<Buffer> {
  const expected = payload.readUInt32BE(0);
  try {
    const piece = await decompress(payload.subarray(4), { maxOutputLength: PIECE_BYTES });
    if (piece.length === expected) return piece;
  } catch (error) {
    throw damaged(place, error);
  }
  throw damaged(place);
}

/** Reads given numbers of bytes from a stream of chunks. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #waiting: Buffer[] = [];
  #length = 0;

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  async read(count: number): Promise<Buffer> {
    while (this.#length < count) {
      if (!(await this.#more())) throw new BackupError("The backup is cut off: its end mark is missing.");
    }
    const all = this.#waiting.length === 1 ? this.#waiting[0]! : Buffer.concat(this.#waiting, this.#length);
    this.#length -= count;
    this.#waiting = this.#length > 0 ? [all.subarray(count)] : [];
    return all.subarray(0, count);
  }

  async isAtEnd(): Promise<boolean> {
    return this.#length === 0 && !(await this.#more());
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done) return false;
    if (value.length > 0) this.#waiting.push(value);
    this.#length += value.length;
    return true;
  }
}
