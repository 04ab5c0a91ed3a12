import { BackupError, type BackupHeader, type PartEnd, type PartHead } from "./backup-format.js";
import { type BackupPiece, readBackup } from "./read-backup.js";

/** One part of a backup. Its content must be read to the end before the next part is asked for. */
export interface BackupPart {
  head: PartHead;
  content: AsyncIterable<Buffer>;
  /** Known when the content was read. */
  end(): PartEnd | undefined;
}

export interface OpenedBackup {
  header: BackupHeader;
  /** Ends without an error only when the backup is whole. */
  parts: AsyncGenerator<BackupPart>;
}

/** Opens a backup for reading. `onProgress` is told how many bytes of data were read, as they were before compression. */
export async function openBackup(
  source: AsyncIterable<Buffer>,
  onProgress: (bytes: number) => void,
): Promise<OpenedBackup> {
  const pieces = readBackup(source);
  const { value: first } = await pieces.next();
  if (first?.kind !== "header") throw new BackupError("The backup is damaged: its header is missing.");
  return { header: first.header, parts: partsOf(pieces, onProgress) };
}

async function* partsOf(
  pieces: AsyncGenerator<BackupPiece>,
  onProgress: (bytes: number) => void,
): AsyncGenerator<BackupPart> {
  let done = 0;
  const contentOf = async function* (onEnd: (end: PartEnd) => void): AsyncGenerator<Buffer> {
    for (;;) {
      const { value: piece } = await pieces.next();
      if (piece?.kind === "data") {
        yield await piece.read();
        done += piece.bytes;
        onProgress(done);
      } else if (piece?.kind === "part end") {
        const { kind: _, ...end } = piece;
        onEnd(end);
        return;
      } else throw new BackupError("The backup is damaged: a part has no end.");
    }
  };
  for (;;) {
    const { value: piece } = await pieces.next();
    if (piece?.kind === "end") return;
    if (piece?.kind !== "part") throw new BackupError("The backup is damaged: something is between two parts.");
    let end: PartEnd | undefined;
    const content = contentOf((found) => {
      end = found;
    });
    yield { head: piece.part, content, end: () => end };
    if (!end) throw new Error("A part of the backup was not read to its end.");
  }
}
