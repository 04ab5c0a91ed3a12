import { Loop } from "../../../../runtime/loops/loop.js";
import type { EventTimesProgress } from "../../event-columns.js";
import type { Engine } from "../engine/engine.js";
import type { OrganizationFile } from "../engine/organization-file.js";
import type { OrganizationFiles } from "../engine/organization-files.js";
import { TIMES_RULES, type TimesRules } from "../layout/event-times.js";
import { keepTimes } from "./keep-times.js";

export interface TimesKeeperOptions {
  engine: Engine;
  files: OrganizationFiles;
  /** Other rules in tests. */
  rules?: TimesRules | undefined;
  /** Called about a file whose times could not be kept. It is tried again later. */
  onError(error: unknown, organizationId: string): void;
}

const RETRY_MS = 30_000;
/** A piece waits while the log holds this much: the next checkpoint writes it into the file. */
const MOST_LOG_BYTES = 64 * 1024 * 1024;
const LOG_WAIT_MS = 500;

/** Keeps the times of the events of open files, piece by piece. After a piece, it pauses for as long as the piece took. */
export class TimesKeeper {
  readonly #options: TimesKeeperOptions;
  readonly #rules: TimesRules;
  readonly #retries = new Map<string, number>();
  /** How many writes a file without times had at the last look. */
  readonly #looks = new WeakMap<OrganizationFile, number>();
  readonly #loop: Loop;

  constructor(options: TimesKeeperOptions) {
    this.#options = options;
    this.#rules = options.rules ?? TIMES_RULES;
    const step = (signal: AbortSignal) => this.#step(signal);
    this.#loop = new Loop({ step, onError: (error) => options.onError(error, ""), lastRetryMs: RETRY_MS });
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** How far the times of open files are. */
  list(): EventTimesProgress[] {
    return [...this.#options.files.opened()].flatMap(([organizationId, { times }]) =>
      times === undefined
        ? []
        : {
            organizationId,
            unread: times.unread,
            runs: times.read.length,
            entries: times.read.reduce((sum, { entries }) => sum + entries, 0),
            isSettled: !times.hasWork(this.#rules),
          },
    );
  }

  /** Does one piece of work for each open file that needs some. */
  async #step(signal: AbortSignal): Promise<number> {
    const { engine, files, onError } = this.#options;
    let isBusy = false;
    let pauseMs = 0;
    for (const [organizationId, opened] of [...files.opened()]) {
      if (signal.aborted) break;
      const startedAt = performance.now();
      // Using a file that was removed meanwhile would create it again.
      if (!files.isOpen(organizationId) || startedAt < (this.#retries.get(organizationId) ?? 0)) continue;
      // Using a file keeps it open, so one that has nothing to do is left alone.
      if (!this.#mayNeedWork(opened)) continue;
      try {
        await files.use(organizationId, async (file) => {
          const isFull = (await file.logBytes()) > MOST_LOG_BYTES;
          if (isFull) pauseMs += LOG_WAIT_MS;
          isBusy = isFull || (await keepTimes(engine, file, this.#rules)) || isBusy;
        });
        this.#retries.delete(organizationId);
      } catch (error) {
        // The files of other organizations are kept on.
        this.#retries.set(organizationId, performance.now() + RETRY_MS);
        onError(error, organizationId);
      }
      pauseMs += performance.now() - startedAt;
    }
    return isBusy ? Math.max(1, pauseMs) : this.#rules.lookEveryMs;
  }

  /** A file without times is looked at again when it was written since the last look. */
  #mayNeedWork(file: OrganizationFile): boolean {
    if (file.times) return file.times.hasWork(this.#rules);
    const isWritten = this.#looks.get(file) !== file.writes;
    this.#looks.set(file, file.writes);
    return isWritten;
  }
}
