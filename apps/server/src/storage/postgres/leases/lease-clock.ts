/** The clocks by which a process measures how long ago something happened. */
export interface LeaseClock {
  /** Never steps back, and is the same in all threads. It stands still while the machine is suspended. */
  monotonicMs(): number;
  /** Goes on while the machine is suspended. People and NTP can set it. */
  wallMs(): number;
}

const NS_PER_MS = 1e6;

export const SYSTEM_CLOCK: LeaseClock = {
  monotonicMs: () => Number(process.hrtime.bigint()) / NS_PER_MS,
  wallMs: () => Date.now(),
};

/** A moment on both clocks. */
export interface Moment {
  monotonicMs: number;
  wallMs: number;
}

export function now({ monotonicMs, wallMs }: LeaseClock): Moment {
  return { monotonicMs: monotonicMs(), wallMs: wallMs() };
}

/** The time since a moment by the clock that has gone further, so that a suspension counts. */
export function elapsedMs(clock: LeaseClock, since: Moment): number {
  return Math.max(clock.monotonicMs() - since.monotonicMs, clock.wallMs() - since.wallMs);
}
