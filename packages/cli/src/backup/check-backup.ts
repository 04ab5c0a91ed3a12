import {
  type BackupEnd,
  type BackupHeader,
  type BackupPiece,
  openKey,
  type SealedKey,
} from "@muster/server/backup-file";

/** What is in a backup that was read to its end mark. */
export interface CheckedBackup {
  created_at: string;
  version: string;
  organizations: BackupHeader["organizations"];
  rows: number;
  files: number;
  /** Whether finished files of jobs are in a bucket, which is not part of the backup. */
  lacks_bucket: boolean;
  /** `opened` when the passphrase has decrypted them. */
  keys: "none" | "sealed" | "opened";
}

export interface CheckOptions {
  /** Decompresses the data too. Otherwise only compares the checksums. */
  unpacks: boolean;
  passphrase: string | undefined;
  /** Called with the number of bytes read, and an estimate of the total. */
  onProgress(done: number, estimated: number): void;
}

/** Reads a backup to its end. Throws when it is damaged or cut off, or when the passphrase is wrong. */
export async function checkBackup(
  pieces: AsyncIterable<BackupPiece>,
  { unpacks, passphrase, onProgress }: CheckOptions,
): Promise<CheckedBackup> {
  let header: BackupHeader | undefined;
  let end: BackupEnd | undefined;
  let partKind = "";
  let done = 0;
  const found = { rows: 0, files: 0, keys: "none" as CheckedBackup["keys"] };
  for await (const piece of pieces) {
    if (piece.kind === "header") header = piece.header;
    else if (piece.kind === "end") end = piece;
    else if (piece.kind === "part") {
      partKind = piece.part.kind;
      if (partKind === "file") found.files += 1;
      if (partKind === "keys") found.keys = "sealed";
    } else if (piece.kind === "part end") found.rows += piece.rows ?? 0;
    else {
      done += piece.bytes;
      onProgress(done, header?.estimated_bytes ?? 0);
      const content = unpacks ? await piece.read() : undefined;
      if (content && partKind === "keys" && passphrase !== undefined) {
        // Muster wrote it, and the checksum of the part covers it.
        await openKey(JSON.parse(content.toString()) as SealedKey, passphrase);
        found.keys = "opened";
      }
    }
  }
  if (!header || !end) throw new Error("The backup has no header or no end mark.");
  const { created_at, version, organizations, files } = header;
  return { created_at, version, organizations, ...found, lacks_bucket: files === "in the bucket" };
}
