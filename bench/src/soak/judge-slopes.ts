import { median, slopeOf } from "../lib/slope.js";
import type { Sample } from "./sample.js";

/** Whether one figure stayed level after the warm-up of a soak. */
export interface Slope {
  figure: string;
  unit: string;
  median: number;
  perHour: number;
  /** The steepest slope that counts as level. */
  allowedPerHour: number;
  isFlat: boolean;
}

/** A soak: its samples, and the time to acknowledge in each second. */
export interface Soaked {
  samples: readonly Sample[];
  acknowledgeMs: readonly (readonly [second: number, p99Ms: number])[];
}

/** The first third of a soak is the warm-up, but at most 15 minutes: caches and files still grow to their normal size. */
const WARM_UP_SHARE = 1 / 3;
const LONGEST_WARM_UP_SECONDS = 15 * 60;

/** Tables with a row for each user, account or identifier. Their rows are only replaced, so they must not grow. */
export const LEVEL_TABLES = ["users", "accounts", "user_identifiers", "account_identifiers"];

interface Figure {
  figure: string;
  unit: string;
  /** Growth from the end of the warm-up to the end that is level: this amount, or this share of the median. */
  floor: number;
  share: number;
}

type Point = readonly [second: number, value: number];

/**
 * Judges what must not grow while the same users change. Events and logs are kept, so the engine's file and the other
 * tables grow with the records; what must not grow is how many bytes each record adds.
 */
export function judgeSlopes({ samples, acknowledgeMs }: Soaked): Slope[] {
  const start = warmUpSeconds(samples);
  const settled = samples.filter(({ second }) => second >= start);
  if (settled.length === 0) return [];
  const level = (figure: string, unit: string, floor: number, read: (sample: Sample) => number) =>
    judge(
      { figure, unit, floor, share: 0.1 },
      settled.map((sample) => [sample.second, read(sample)]),
    );
  const perRecord = (figure: string, read: (sample: Sample) => number) =>
    judge({ figure, unit: "bytes/record", floor: 100, share: 0.25 }, bytesPerRecord(settled, read));
  return [
    level("memory of the server", "MB", 48, ({ memoryMb }) => memoryMb.server),
    level("JavaScript heap", "MB", 32, ({ heapMb }) => heapMb),
    level("JavaScript buffers", "MB", 32, ({ externalMb }) => externalMb),
    level("memory of PostgreSQL's backends", "MB", 48, ({ memoryMb }) => memoryMb.backend),
    level("memory of the checkpointer", "MB", 48, ({ memoryMb }) => memoryMb.checkpointer),
    level("memory of PostgreSQL's background", "MB", 48, ({ memoryMb }) => memoryMb.background),
    level("open files and sockets", "", 20, ({ handles }) => handles),
    ...Object.keys(settled[0]?.lagMs ?? {}).map((stage) =>
      level(`lag: ${stage}`, "ms", 500, ({ lagMs }) => lagMs[stage] ?? 0),
    ),
    judge(
      { figure: "acknowledge p99", unit: "ms", floor: 50, share: 0.1 },
      acknowledgeMs.filter(([second]) => second >= start),
    ),
    level("dead rows in PostgreSQL", "%", 10, deadPercent),
    level("tables of users and accounts", "MB", 24, (sample) => sizeOfTables(sample, isLevel)),
    level("write-ahead log of the question engine", "MB", 128, ({ engineLogMb }) => engineLogMb),
    perRecord("file of the question engine", ({ engineMb }) => engineMb),
    perRecord("all other tables", (sample) => sizeOfTables(sample, (table) => !isLevel(table))),
  ];
}

/** When the warm-up ends. */
export function warmUpSeconds(samples: readonly Sample[]): number {
  const first = samples[0]?.second ?? 0;
  const last = samples.at(-1)?.second ?? 0;
  return first + Math.min((last - first) * WARM_UP_SHARE, LONGEST_WARM_UP_SECONDS);
}

function judge({ floor, share, ...figure }: Figure, points: readonly Point[]): Slope {
  const middle = points.length === 0 ? 0 : median(points.map(([, y]) => y));
  const hours = ((points.at(-1)?.[0] ?? 0) - (points[0]?.[0] ?? 0)) / 3_600;
  const perHour = slopeOf(points) * 3_600;
  const allowed = Math.max(floor, share * middle);
  const allowedPerHour = hours === 0 ? Number.POSITIVE_INFINITY : allowed / hours;
  return { ...figure, median: middle, perHour, allowedPerHour, isFlat: perHour <= allowedPerHour };
}

/** What a record adds to a size: between samples that are a sixth of the time apart, because files grow in steps. */
function bytesPerRecord(samples: readonly Sample[], readMb: (sample: Sample) => number): Point[] {
  const apart = Math.max(1, Math.floor(samples.length / 6));
  return samples.slice(apart).flatMap((sample, index): Point[] => {
    const before = samples[index];
    if (!before || sample.records <= before.records) return [];
    const bytes = (readMb(sample) - readMb(before)) * 1024 * 1024;
    return [[sample.second, bytes / (sample.records - before.records)]];
  });
}

export function sizeOfTables({ tables }: Sample, isCounted: (table: string) => boolean = () => true): number {
  return Object.entries(tables).reduce((sum, [table, { mb }]) => sum + (isCounted(table) ? mb : 0), 0);
}

function isLevel(table: string): boolean {
  return LEVEL_TABLES.includes(table);
}

function deadPercent({ tables }: Sample): number {
  const sum = (column: "live" | "dead") => Object.values(tables).reduce((total, table) => total + table[column], 0);
  return (100 * sum("dead")) / Math.max(1, sum("live") + sum("dead"));
}
