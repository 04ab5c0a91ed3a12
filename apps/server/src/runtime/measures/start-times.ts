/** How long each step of a start took. A step ends where the next one begins. */
export class StartTimes {
  readonly #ms: Record<string, number> = {};
  #endedAt = 0;

  /** Says that a step has ended. The first one has begun with the process. */
  ended(step: string): void {
    const now = performance.now();
    this.#ms[step] = Math.round(now - this.#endedAt);
    this.#endedAt = now;
  }

  /** The milliseconds of each step, in their order. */
  get ms(): Readonly<Record<string, number>> {
    return this.#ms;
  }
}
