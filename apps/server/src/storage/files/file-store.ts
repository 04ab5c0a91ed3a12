import type { Readable } from "node:stream";
import type { ByteRange } from "../../domain/jobs/byte-range.js";

/** Where finished files are kept until they expire: this machine's disk, or a bucket. */
export interface FileStore {
  /** Takes a file of this disk over; afterwards it is there under `key` alone. */
  keep(key: string, path: string): Promise<void>;
  /** The file, or a range of it; undefined when there is none. */
  read(key: string, range?: ByteRange): Promise<Readable | undefined>;
  remove(key: string): Promise<void>;
}
