import { statfs } from "node:fs/promises";
import { Refusal } from "@muster/protocol";

/** With less space than this, the server accepts no new data. */
export const RESERVED_BYTES = 256 * 1024 * 1024;

const CHECK_EVERY_MS = 1_000;
const RETRY_AFTER_SECONDS = 10;

/** How many bytes an ordinary user can still write to the file system of a folder. */
export async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

/**
 * The disk of a folder. It must not become full, because PostgreSQL stops when it cannot write, and then cannot be read
 * either. So work that can wait stops while some space is left. Asks the system once a second at most.
 */
export class DiskSpace {
  readonly #path: string;
  readonly #reservedBytes: number;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #isLow: Promise<boolean> = Promise.resolve(false);

  constructor(path: string, reservedBytes: number) {
    this.#path = path;
    this.#reservedBytes = reservedBytes;
  }

  /** Whether less than the reserve is free. */
  isLow(): Promise<boolean> {
    const now = performance.now();
    if (now - this.#checkedAt >= CHECK_EVERY_MS) {
      this.#checkedAt = now;
      this.#isLow = freeBytes(this.#path).then((free) => free < this.#reservedBytes);
    }
    return this.#isLow;
  }

  /** How much is free now, and how large the disk is. */
  async look(): Promise<{ freeBytes: number; totalBytes: number; isLow: boolean }> {
    const { bavail, blocks, bsize } = await statfs(this.#path);
    const free = bavail * bsize;
    return { freeBytes: free, totalBytes: blocks * bsize, isLow: free < this.#reservedBytes };
  }

  /** Refuses when less than the reserve is free. */
  async require(): Promise<void> {
    if (await this.isLow()) throw diskFull();
  }

  /** Refuses when less than the reserve would be free after so many bytes were written. Always asks the system. */
  async requireFor(bytes: number): Promise<void> {
    if ((await freeBytes(this.#path)) < this.#reservedBytes + bytes) throw diskFull();
  }
}

/** The error as a refusal, when it says that the disk is full. */
export function asDiskFull(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ENOSPC" || code === "EDQUOT" ? diskFull(error) : error;
}

function diskFull(cause?: unknown): Refusal {
  return new Refusal("unavailable", "The disk is nearly full.", { retryAfter: RETRY_AFTER_SECONDS, cause });
}
