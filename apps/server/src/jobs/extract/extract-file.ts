import { type FileHandle, open } from "node:fs/promises";

/**
 * The file of an extract while it is written. An extract that resumes truncates the file to the length in its last
 * checkpoint.
 */
export class ExtractFile {
  readonly #file: FileHandle;
  #bytes: number;

  private constructor(file: FileHandle, bytes: number) {
    this.#file = file;
    this.#bytes = bytes;
  }

  /** Opens the file at a checkpoint. Undefined when the file is missing or shorter than the checkpoint says. */
  static async open(path: string, bytes: number): Promise<ExtractFile | undefined> {
    const file = await open(path, bytes === 0 ? "w" : "r+", 0o600).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    if (!file) return undefined;
    if ((await file.stat()).size < bytes) {
      await file.close();
      return undefined;
    }
    await file.truncate(bytes);
    return new ExtractFile(file, bytes);
  }

  get bytes(): number {
    return this.#bytes;
  }

  async writeHeader(columns: readonly string[]): Promise<void> {
    await this.write(Buffer.from(`${columns.map((name) => `"${name.replaceAll('"', '""')}"`).join(",")}\r\n`));
  }

  async write(chunk: Uint8Array): Promise<void> {
    let written = 0;
    while (written < chunk.length) {
      const { bytesWritten } = await this.#file.write(chunk, written, chunk.length - written, this.#bytes);
      written += bytesWritten;
      this.#bytes += bytesWritten;
    }
  }

  /** Flushes the file to disk. */
  async sync(): Promise<void> {
    await this.#file.datasync();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
