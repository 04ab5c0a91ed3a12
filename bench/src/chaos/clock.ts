import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const LOOK_EVERY_MS = 10;

/** Which offsets of the server's clock may have held during a time. */
export interface OffsetRange {
  least: number;
  most: number;
}

/**
 * Sets the clock of the server's process (`clock-preload.ts`), and remembers which offset held when. The clocks of
 * PostgreSQL and of the question engine are those of the machine and stay as they are.
 */
export class Clock {
  readonly #file: string;
  /** The offsets in order. Each may hold from its time on; the one before may hold until `seenAt`. */
  readonly #steps: { from: number; seenAt: number; offset: number }[] = [{ from: 0, seenAt: 0, offset: 0 }];

  constructor(file: string) {
    this.#file = file;
    writeFileSync(file, "0");
  }

  /** What a process needs to follow this clock. */
  get start(): { preload: URL; environment: Record<string, string> } {
    const preload = new URL("./clock-preload.js", import.meta.url);
    return { preload, environment: { CHAOS_CLOCK_FILE: this.#file } };
  }

  get offset(): number {
    return this.#steps.at(-1)?.offset ?? 0;
  }

  /** Sets the clock to so many milliseconds from the true time, and waits until a server has noticed, at most a second. */
  async set(offset: number): Promise<void> {
    const step = { from: Date.now(), seenAt: Number.POSITIVE_INFINITY, offset };
    this.#steps.push(step);
    writeFileSync(this.#file, String(offset));
    const deadline = Date.now() + 1_000;
    while (Date.now() < deadline && this.#seen() !== String(offset)) {
      await sleep(LOOK_EVERY_MS);
    }
    // A process that is dead or starting reads the file when it starts.
    step.seenAt = Date.now();
  }

  #seen(): string {
    try {
      return readFileSync(`${this.#file}.seen`, "utf8");
    } catch {
      // No server has followed the clock yet.
      return "";
    }
  }

  /** The offsets that may have held between two times. */
  during(from: number, to: number): OffsetRange {
    const possible = this.#steps.filter((step, index) => {
      const next = this.#steps[index + 1];
      return step.from <= to && (next === undefined || next.seenAt >= from);
    });
    const offsets = possible.map(({ offset }) => offset);
    return { least: Math.min(...offsets), most: Math.max(...offsets) };
  }
}
