/** Remembers how to close what was opened, and closes it in the reverse order. */
export class Closing {
  readonly #closers: (() => unknown)[] = [];
  #closed: Promise<void> | undefined;

  add(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** Closes once, however often it is called. Every call waits for the end. */
  closeAll(): Promise<void> {
    this.#closed ??= this.#closeAll();
    return this.#closed;
  }

  async #closeAll(): Promise<void> {
    for (let close = this.#closers.pop(); close; close = this.#closers.pop()) await close();
  }
}
