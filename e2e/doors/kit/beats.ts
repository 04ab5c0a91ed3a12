import { setTimeout as sleep } from "node:timers/promises";
import type { OpenLibrary } from "./node-libraries.js";

const PAUSE_MS = 50;
/** The most events that one search returns. */
const MOST = 1_000;

/** A library that tracks numbered events, one after the other, whether the server answers or not. */
export class Beats {
  readonly library: { name: string; version: string };
  readonly event: string;
  sent = 0;
  delivered = 0;
  readonly #opened: OpenLibrary;
  #isStopped = false;

  constructor(library: { name: string; version: string }, opened: OpenLibrary) {
    this.library = library;
    this.event = `Beat of ${library.name}`;
    this.#opened = opened;
  }

  /** Resolves when the library has delivered everything. Rejects when it has given up a call. */
  async run(): Promise<void> {
    const waiting: Promise<void>[] = [];
    while (!this.#isStopped && this.sent < MOST) {
      const properties = { number: this.sent++ };
      const delivered = this.#opened.send("track", { userId: "beats", event: this.event, properties });
      delivered.then(
        () => this.delivered++,
        () => {},
      );
      waiting.push(delivered);
      await sleep(PAUSE_MS);
    }
    await Promise.all(waiting);
    await this.#opened.close();
  }

  stop(): void {
    this.#isStopped = true;
  }
}
