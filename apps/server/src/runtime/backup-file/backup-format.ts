/**
 * A backup file is `MAGIC`, then frames: a byte for the kind, four bytes for the length, the payload. The header comes
 * first, then the parts, then the end mark. A part is its head, its data in compressed pieces, and its end. The ends of
 * parts and the end mark close with the SHA-256 of everything in the file before it, so damage is found at the end of
 * the damaged part, and a truncated file has no end mark.
 */
export const MAGIC = Buffer.from("muster backup 1\n");

export const FRAME = { header: 0x48, part: 0x50, data: 0x44, partEnd: 0x45, end: 0x5a } as const;

export const FRAME_HEAD_BYTES = 5;
export const HASH_BYTES = 32;

/** Data is compressed in pieces of this size, each by itself, so that several threads can work on one part. */
export const PIECE_BYTES = 1024 * 1024;

// A longer frame means a damaged length: incompressible data grows by less than this.
export const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/** The state of the whole server at the moment of the backup. */
export interface BackupHeader {
  /** The version of Muster that has made it. */
  version: string;
  created_at: string;
  /** Names of the migrations that its database had. */
  migrations: string[];
  /** Settings that belong to the data, by their names in the environment. */
  settings: Record<string, string>;
  /** Where each organization was in the ingestion log. */
  organizations: { namespace: string; position: string }[];
  /** The days of the partitions of each daily table, such as `20260131`. */
  partitions: Record<string, string[]>;
  /** The last value that was given by the sequence of each identity column. */
  sequences: { table: string; column: string; value: number }[];
  /** Tells whether a key is that of the backup. */
  key_check: string;
  /** Whether files of jobs are in the backup, or in a bucket that the backup does not have. */
  files: "included" | "in the bucket";
  /** About how many bytes follow before compression. */
  estimated_bytes: number;
}

/** The beginning of a part. */
export type PartHead =
  /** The key that seals secrets in the database, sealed with a passphrase. */
  | { kind: "keys" }
  /** The rows of a table, in PostgreSQL's binary copy format. */
  | { kind: "table"; name: string; columns: string[] }
  /** A file of a job, by its path in the folder `files` of the data directory. */
  | { kind: "file"; path: string };

export interface PartEnd {
  /** Bytes of the part before compression. */
  bytes: number;
  /** Rows of a table. */
  rows?: number;
}

export interface BackupEnd {
  parts: number;
  bytes: number;
}

/** Says why a backup file cannot be used. */
export class BackupError extends Error {
  override readonly name = "BackupError";
}
