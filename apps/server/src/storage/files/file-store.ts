import type { Readable } from "node:stream";
import type { ByteRange } from "../../domain/jobs/byte-range.js";

/** Stores finished files until they expire, on the local disk or in a bucket. */
export interface FileStore {
  /** Moves a file from the local disk into the store. The file at `path` is gone afterwards. */
  keep(key: string, path: string): Promise<void>;
  /** The file, or a range of it; undefined when there is no such file. */
  read(key: string, range?: ByteRange): Promise<Readable | undefined>;
  remove(key: string): Promise<void>;
}
