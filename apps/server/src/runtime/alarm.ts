/** Lets a loop sleep until it is rung, a time has passed, or it is told to stop. A ring while awake is not lost. */
export class Alarm {
  #isRung = false;
  #wakeUp: (() => void) | undefined;

  ring(): void {
    this.#isRung = true;
    this.#wakeUp?.();
  }

  /** Without `ms` it waits for a ring alone. */
  async wait(signal: AbortSignal, ms?: number): Promise<void> {
    if (!this.#isRung && !signal.aborted) {
      await new Promise<void>((resolve) => {
        // Timers hold no more than 31 bits; whoever waits longer looks again in between.
        const timer = ms === undefined ? undefined : setTimeout(() => finish(), Math.min(ms, 2 ** 31 - 1));
        const finish = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", finish);
          resolve();
        };
        this.#wakeUp = finish;
        signal.addEventListener("abort", finish);
      });
      this.#wakeUp = undefined;
    }
    this.#isRung = false;
  }
}
