/** Finds the longest pause between things that happen again and again. */
export class Pauses {
  #last: number | undefined;
  longestMs = 0;

  /** Notices that it happened, at a time in milliseconds. */
  notice(at: number): void {
    if (this.#last !== undefined) this.longestMs = Math.max(this.longestMs, at - this.#last);
    this.#last = Math.max(this.#last ?? at, at);
  }
}
