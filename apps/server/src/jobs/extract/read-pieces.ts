import { open } from "node:fs/promises";

const PIECE_BYTES = 1024 * 1024;

/** The bytes of a file in pieces. All pieces share one buffer, so a piece must not be used after the next one was asked for. */
export async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    const buffer = Buffer.allocUnsafeSlow(PIECE_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, PIECE_BYTES);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
