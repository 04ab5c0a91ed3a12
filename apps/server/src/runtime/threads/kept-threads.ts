import type { Methods } from "./thread-calls.js";
import type { Thread, ThreadKind, Threads } from "./threads.js";

export interface KeptThreadsOptions {
  threads: Threads;
  kind: ThreadKind;
  /** What each thread gets when it starts. */
  data: unknown;
  count: number;
  /** Called when a thread was started, or has failed and is no longer in `running`. */
  onChange(): void;
}

/** A thread that fails sooner would fail again at once. */
const SHORT_LIFE_MS = 1_000;

/** Keeps a number of threads of one kind running. A thread that fails is replaced. */
export class KeptThreads<Calls extends Methods<Calls>> {
  readonly #options: KeptThreadsOptions;
  readonly #running = new Set<Thread<Calls>>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  #isStarted = false;

  constructor(options: KeptThreadsOptions) {
    this.#options = options;
  }

  get running(): readonly Thread<Calls>[] {
    return [...this.#running];
  }

  /** Starts the threads. Further calls do nothing. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    for (let number = 0; number < this.#options.count; number++) this.#startOne();
  }

  /** Ends the threads at once. */
  async end(): Promise<void> {
    this.#isStarted = true;
    for (const timer of this.#restarts) clearTimeout(timer);
    const running = this.running;
    this.#running.clear();
    await Promise.all(running.map((thread) => thread.end()));
  }

  #startOne(): void {
    const { threads, kind, data, onChange } = this.#options;
    const startedAt = performance.now();
    const thread = threads.start<Calls>(kind, {
      data,
      onFailed: (error, unanswered) => {
        this.#running.delete(thread);
        threads.logger.error({ err: error, thread: kind.name, unanswered }, "a thread has failed, and is replaced");
        if (performance.now() - startedAt > SHORT_LIFE_MS) this.#startOne();
        else this.#startLater();
      },
    });
    this.#running.add(thread);
    onChange();
  }

  #startLater(): void {
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      this.#startOne();
    }, SHORT_LIFE_MS).unref();
    this.#restarts.add(timer);
    this.#options.onChange();
  }
}
