import { Loop } from "./loop.js";

export interface LoopsOptions {
  /** Does one piece of work for a key. Returns false when none was waiting. */
  step(key: string): Promise<boolean>;
  onError(error: unknown, key: string): void;
}

/** One loop for each key, all at the same time. A loop starts when its key is woken for the first time. */
export class Loops {
  readonly #options: LoopsOptions;
  readonly #loops = new Map<string, Loop>();
  #isRunning = false;

  constructor(options: LoopsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isRunning = true;
  }

  /** Must be called when work may be waiting. Before the start and after the stop it does nothing. */
  wake(key: string): void {
    if (!this.#isRunning) return;
    const { step, onError } = this.#options;
    const present = this.#loops.get(key);
    if (present) {
      present.wake();
      return;
    }
    const loop = new Loop({
      step: async () => {
        if ((await step(key)) || loop.isWoken) return 0;
        // Without this the loops of all keys that ever had work would stay in memory.
        this.#loops.delete(key);
        void loop.stop();
        return undefined;
      },
      onError: (error) => onError(error, key),
    });
    this.#loops.set(key, loop);
    loop.start();
  }

  /** How many keys have work at present. */
  get size(): number {
    return this.#loops.size;
  }

  /** Waits for the present steps and starts no others. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all([...this.#loops.values()].map((loop) => loop.stop()));
  }
}
