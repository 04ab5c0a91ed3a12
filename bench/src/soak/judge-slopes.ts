import { median, slopeOf } from "../lib/slope.js";
import type { Sample } from "./sample.js";

/** Whether one figure stayed level in the second part of a soak. */
export interface Slope {
  figure: string;
  unit: string;
  median: number;
  /** How much it grew from the end of the warm-up to the end of the soak, by its slope. */
  growth: number;
  /** The largest growth that counts as level. */
  allowed: number;
  isFlat: boolean;
}

/** The part of a soak in which caches and files still grow to their normal size. */
const WARM_UP_SHARE = 1 / 3;
/** Growth below this share of the median is level. */
const LEVEL_SHARE = 0.1;

interface Figure {
  figure: string;
  unit: string;
  /** Growth that is always level, however small the median is. */
  floor: number;
  read(sample: Sample): number;
}

/**
 * Judges the figures that must not grow while the same users change. Events and logs are kept, so the files and tables grow
 * with the records; what must not grow is what each record adds to them.
 */
export function judgeSlopes(samples: readonly Sample[]): Slope[] {
  const [first] = samples;
  if (!first) return [];
  const start = first.second + ((samples.at(-1)?.second ?? 0) - first.second) * WARM_UP_SHARE;
  const settled = samples.filter(({ second }) => second >= start);
  const figures: Figure[] = [
    { figure: "memory of the server", unit: "MB", floor: 48, read: ({ memoryMb }) => memoryMb.server },
    { figure: "memory of PostgreSQL", unit: "MB", floor: 48, read: ({ memoryMb }) => memoryMb.postgres },
    ...Object.keys(first.lagMs).map((stage) => ({
      figure: `lag: ${stage}`,
      unit: "ms",
      floor: 500,
      read: ({ lagMs }: Sample) => lagMs[stage] ?? 0,
    })),
    { figure: "dead rows in PostgreSQL", unit: "%", floor: 10, read: ({ deadPercent }) => deadPercent },
  ];
  return [
    ...figures.map(({ read, ...figure }) =>
      judge(
        figure,
        settled.map((sample) => [sample.second, read(sample)]),
      ),
    ),
    judge(
      { figure: "growth of the engine's files", unit: "MB/min", floor: 30 },
      rates(settled, (sample) => sample.engineMb),
    ),
    judge({ figure: "growth of all tables", unit: "MB/min", floor: 30 }, rates(settled, sizeOfTables)),
  ];
}

function judge({ floor, ...figure }: Omit<Figure, "read">, points: [number, number][]): Slope {
  const middle = median(points.map(([, y]) => y));
  const span = (points.at(-1)?.[0] ?? 0) - (points[0]?.[0] ?? 0);
  const growth = slopeOf(points) * span;
  const allowed = Math.max(floor, LEVEL_SHARE * middle);
  return { ...figure, median: middle, growth, allowed, isFlat: growth <= allowed };
}

/** How fast a size grows, minute by minute: between samples that are a sixth of the time apart, because files grow in steps. */
function rates(samples: readonly Sample[], read: (sample: Sample) => number): [number, number][] {
  const apart = Math.max(1, Math.floor(samples.length / 6));
  return samples.slice(apart).flatMap((sample, index) => {
    const before = samples[index];
    if (!before) return [];
    const minutes = (sample.second - before.second) / 60;
    return [[sample.second, (read(sample) - read(before)) / minutes] as [number, number]];
  });
}

export function sizeOfTables({ tablesMb }: Sample): number {
  return Object.values(tablesMb).reduce((sum, size) => sum + size, 0);
}
