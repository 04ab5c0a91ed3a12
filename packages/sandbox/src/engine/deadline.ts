import { startClock } from "../threads/clock.js";

const NEVER = (): number => Infinity;

/** When the time of a script is up. The engine asks often, so the system is asked only when the time can be up. */
export class Deadline {
  readonly #systemId: number | undefined;
  #leftMs = NEVER;
  #nextLookAt = Infinity;
  #wasMissed = false;

  /** Nothing is late before `allow` is called. */
  constructor(systemId: number | undefined) {
    this.#systemId = systemId;
  }

  /** Whether the time was up when the engine asked. */
  get wasMissed(): boolean {
    return this.#wasMissed;
  }

  readonly isOver = (): boolean => {
    const now = performance.now();
    if (now < this.#nextLookAt) return false;
    const leftMs = this.#leftMs();
    this.#nextLookAt = now + leftMs;
    this.#wasMissed ||= leftMs <= 0;
    return leftMs <= 0;
  };

  /** Allows so much processor time from now on. */
  allow(timeMs: number): void {
    this.#leftMs = startClock(this.#systemId, timeMs);
    this.#nextLookAt = performance.now() + this.#leftMs();
  }

  /** Nothing is late from now on. */
  lift(): void {
    this.#leftMs = NEVER;
    this.#nextLookAt = Infinity;
  }
}
