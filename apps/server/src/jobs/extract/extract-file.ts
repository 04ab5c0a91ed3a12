import { type FileHandle, open } from "node:fs/promises";
import type { ExtractFormat } from "./extract-parameters.js";

const NEWLINE = 0x0a;
const QUOTE = 0x22;

/**
 * The file of an extract while it is written. An extract that goes on after an interruption cuts off what the last
 * checkpoint does not cover.
 */
export class ExtractFile {
  readonly #file: FileHandle;
  readonly #isCsv: boolean;
  #bytes: number;
  #rows: number;
  #isQuoted = false;

  private constructor(file: FileHandle, format: ExtractFormat, from: { bytes: number; rows: number }) {
    this.#file = file;
    this.#isCsv = format === "csv";
    this.#bytes = from.bytes;
    this.#rows = from.rows;
  }

  /** Opens the file at a checkpoint. Undefined when the file is missing or shorter than the checkpoint says. */
  static async open(
    path: string,
    format: ExtractFormat,
    from: { bytes: number; rows: number },
  ): Promise<ExtractFile | undefined> {
    const file = await open(path, from.bytes === 0 ? "w" : "r+", 0o600).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    if (!file) return undefined;
    if ((await file.stat()).size < from.bytes) {
      await file.close();
      return undefined;
    }
    await file.truncate(from.bytes);
    return new ExtractFile(file, format, from);
  }

  get bytes(): number {
    return this.#bytes;
  }

  get rows(): number {
    return this.#rows;
  }

  async writeHeader(columns: readonly string[]): Promise<void> {
    const line = `${columns.map((name) => `"${name.replaceAll('"', '""')}"`).join(",")}\r\n`;
    await this.#append(Buffer.from(line));
  }

  /** Appends text as the engine printed it; a chunk may end in the middle of a row. */
  async write(chunk: Uint8Array): Promise<void> {
    this.#rows += this.#isCsv ? this.#countCsvRows(chunk) : countLines(chunk);
    await this.#append(chunk);
  }

  /** Makes what was written durable. */
  async sync(): Promise<void> {
    await this.#file.datasync();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #append(chunk: Uint8Array): Promise<void> {
    let written = 0;
    while (written < chunk.length) {
      const { bytesWritten } = await this.#file.write(chunk, written, chunk.length - written, this.#bytes);
      written += bytesWritten;
      this.#bytes += bytesWritten;
    }
  }

  /** A newline inside quotes belongs to a value. */
  #countCsvRows(chunk: Uint8Array): number {
    let rows = 0;
    let isQuoted = this.#isQuoted;
    for (let at = 0; at < chunk.length; at++) {
      if (chunk[at] === QUOTE) isQuoted = !isQuoted;
      else if (chunk[at] === NEWLINE && !isQuoted) rows += 1;
    }
    this.#isQuoted = isQuoted;
    return rows;
  }
}

function countLines(chunk: Uint8Array): number {
  let lines = 0;
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}
