import { elapsedMs, type LeaseClock, type Moment, now } from "./lease-clock.js";

const BEAT = 0;
const MONOTONIC = 1;
const WALL = 2;
const FIELDS = 3;

/**
 * What a thread and the thread that renews its leases know of each other, in memory that both share: when the first one
 * was alive last, and when its leases were renewed last. A thread that computes can look at it without a turn of its event
 * loop.
 */
export class SharedRenewal {
  readonly buffer: SharedArrayBuffer;
  readonly #fields: BigInt64Array;
  readonly #clock: LeaseClock;

  constructor(clock: LeaseClock, buffer = new SharedArrayBuffer(FIELDS * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#fields = new BigInt64Array(buffer);
    this.#clock = clock;
  }

  /** Says that the thread is alive. */
  beat(): void {
    this.#store(BEAT, this.#clock.monotonicMs());
  }

  /** How long ago the thread was alive; undefined when it has never said so. */
  get silentMs(): number | undefined {
    const at = this.#load(BEAT);
    return at === 0 ? undefined : this.#clock.monotonicMs() - at;
  }

  /** Says that a renewal that began at a moment has succeeded. */
  renewed({ monotonicMs, wallMs }: Moment): void {
    // A reader between the two takes the older moment for one of the clocks, and so the leases for older than they are.
    this.#store(MONOTONIC, monotonicMs);
    this.#store(WALL, wallMs);
  }

  /** When the renewal that succeeded last was begun. */
  get renewedAt(): Moment {
    return { monotonicMs: this.#load(MONOTONIC), wallMs: this.#load(WALL) };
  }

  /** How long ago the renewal that succeeded last was begun. */
  get renewedMsAgo(): number {
    return elapsedMs(this.#clock, this.renewedAt);
  }

  /** Beats until the returned function is called. */
  beatEvery(everyMs: number): () => void {
    this.beat();
    const timer = setInterval(() => this.beat(), everyMs);
    timer.unref();
    return () => clearInterval(timer);
  }

  now(): Moment {
    return now(this.#clock);
  }

  #store(field: number, ms: number): void {
    Atomics.store(this.#fields, field, BigInt(Math.floor(ms)));
  }

  #load(field: number): number {
    return Number(Atomics.load(this.#fields, field));
  }
}
