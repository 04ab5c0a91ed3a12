import { Loop } from "../../../../runtime/loops/loop.js";
import type { OrganizationFile } from "./organization-file.js";
import type { OrganizationFiles } from "./organization-files.js";

/** What open files need in the background. */
export interface FileWork {
  /** Whether there may be something to do in a file. Reads no rows. */
  needsWork(file: OrganizationFile): boolean;
  /** Does one piece. Returns whether there is more to do. */
  tend(file: OrganizationFile, organizationId: string): Promise<boolean>;
  /** Called when a piece of a file failed. The file is tried again later, others go on. */
  onError(error: unknown, organizationId: string): void;
  /** How long all files are left alone when none of them needed anything. */
  lookEveryMs: number;
}

const RETRY_MS = 30_000;
/** A piece waits while the log holds this much: the next checkpoint writes it into the file. */
const MOST_LOG_BYTES = 64 * 1024 * 1024;
const LOG_WAIT_MS = 500;

/**
 * Does what open files need, piece by piece. After the pieces of a round, it pauses for as long as they took: meanwhile those who
 * write and ask have the files.
 */
export class FileTender {
  readonly #files: OrganizationFiles;
  readonly #work: FileWork;
  /** When a file is tried again after an error. */
  readonly #retries = new Map<string, number>();
  readonly #loop: Loop;

  constructor(files: OrganizationFiles, work: FileWork) {
    this.#files = files;
    this.#work = work;
    const step = (signal: AbortSignal) => this.#step(signal);
    this.#loop = new Loop({ step, onError: (error) => work.onError(error, ""), lastRetryMs: RETRY_MS });
  }

  start(): void {
    this.#loop.start();
  }

  /** Looks at the files now. */
  wake(): void {
    this.#loop.wake();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Does one piece for each open file that needs some. */
  async #step(signal: AbortSignal): Promise<number> {
    let isBusy = false;
    let pauseMs = 0;
    for (const [organizationId, opened] of [...this.#files.opened()]) {
      if (signal.aborted) break;
      const startedAt = performance.now();
      // Using a file that was removed meanwhile would create it again, and using one that has nothing to do would keep it open.
      if (!this.#files.isOpen(organizationId) || this.#isRetriedLater(organizationId)) continue;
      if (!this.#work.needsWork(opened)) continue;
      try {
        await this.#files.use(organizationId, async (file) => {
          const isFull = (await file.logBytes()) > MOST_LOG_BYTES;
          if (isFull) pauseMs += LOG_WAIT_MS;
          isBusy = isFull || (await this.#work.tend(file, organizationId)) || isBusy;
        });
        this.#retries.delete(organizationId);
      } catch (error) {
        this.#retries.set(organizationId, performance.now() + RETRY_MS);
        this.#work.onError(error, organizationId);
      }
      pauseMs += performance.now() - startedAt;
    }
    if (isBusy) return Math.max(1, pauseMs);
    const { lookEveryMs } = this.#work;
    return this.#retries.size > 0 ? Math.min(RETRY_MS, lookEveryMs) : lookEveryMs;
  }

  #isRetriedLater(organizationId: string): boolean {
    return performance.now() < (this.#retries.get(organizationId) ?? 0);
  }
}
