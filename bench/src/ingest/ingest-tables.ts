import type { Chart, ResultTable } from "../lib/bench-result.js";
import { CPU_PARTS, totalOf } from "../lib/cpu-parts.js";
import { goalMark } from "../lib/goal-mark.js";
import type { Cell } from "../lib/render-table.js";
import type { MeasuredLoad } from "./measure-load.js";

export const GOALS = {
  perSecond: 10_000,
  timesUpserts: 3.5,
  cpuUs: 170,
  acknowledgeMs: 150,
  readMs: 50,
  timesGateway: 0.9,
};

/** The loads that the goals are about, and the baseline of the same run. */
export interface Measured {
  /** As fast as the server accepts them. */
  full: readonly MeasuredLoad[];
  /** At half of the best of them. */
  half: MeasuredLoad;
  doors: Doors;
  upsertsPerSecond: number;
}

/** The same records at both doors, in turns. */
export interface Doors {
  gateway: MeasuredLoad[];
  calls: MeasuredLoad[];
}

export function goalTable({ full, half, doors, upsertsPerSecond }: Measured): ResultTable {
  const best = Math.max(...full.map(({ searchablePerSecond }) => searchablePerSecond));
  const times = best / upsertsPerSecond;
  const cpuUs = Math.min(...full.map((load) => totalOf(load.cpuUs)));
  const readMs = Math.max(...full.map(({ probe }) => probe?.reads.p99Ms ?? Number.NaN));
  const callsPerSecond = meanOf(doors.calls, (load) => load.searchablePerSecond);
  const timesGateway = callsPerSecond / meanOf(doors.gateway, (load) => load.searchablePerSecond);
  const timesCpu = meanOf(doors.calls, cpuOf) / meanOf(doors.gateway, cpuOf);
  const number = (value: number, digits = 0) => value.toLocaleString("en", { maximumFractionDigits: digits });
  return {
    headings: ["what must be shown", "measured", "goal", ""],
    rows: [
      [
        "searchable entries/s, and beside row-at-a-time upserts",
        `${number(best)}/s, ${number(times, 1)} times`,
        `≥ ${number(GOALS.perSecond)}/s or ≥ ${GOALS.timesUpserts} times`,
        goalMark(best >= GOALS.perSecond || times >= GOALS.timesUpserts),
      ],
      [
        "processor time an entry, all processes",
        `${number(cpuUs)} µs`,
        `≤ ${GOALS.cpuUs} µs`,
        goalMark(cpuUs <= GOALS.cpuUs),
      ],
      [
        "acknowledge p99 at half of the full speed",
        `${number(half.report.p99Ms)} ms`,
        `≤ ${GOALS.acknowledgeMs} ms`,
        goalMark(half.report.p99Ms <= GOALS.acknowledgeMs),
      ],
      [
        "GET of a user, p99 at full speed",
        `${number(readMs)} ms`,
        `≤ ${GOALS.readMs} ms`,
        goalMark(readMs <= GOALS.readMs),
      ],
      [
        "analytics calls, searchable/s, and beside the gateway's in batches of the same size",
        `${number(callsPerSecond)}/s, ${number(timesGateway, 2)} times`,
        `≥ ${GOALS.timesGateway} times`,
        goalMark(timesGateway >= GOALS.timesGateway),
      ],
      ["processor time of a call beside that of an entry", `${number(timesCpu, 2)} times`, "", ""],
    ],
  };
}

function meanOf(loads: readonly MeasuredLoad[], of: (load: MeasuredLoad) => number): number {
  return loads.reduce((sum, load) => sum + of(load), 0) / loads.length;
}

function cpuOf({ cpuUs }: MeasuredLoad): number {
  return totalOf(cpuUs);
}

export function loadTable(loads: readonly MeasuredLoad[]): ResultTable {
  return {
    headings: [
      "load",
      "entries",
      "acknowledged/s",
      "searchable/s",
      "ack p50 ms",
      "ack p99 ms",
      "refused (503)",
      "peak MB",
      "CPU µs per entry",
    ],
    rows: loads.map(({ name, report, searchablePerSecond, peakMb, cpuUs }) => [
      name,
      report.entries,
      report.entries / report.seconds,
      searchablePerSecond,
      report.p50Ms,
      report.p99Ms,
      report.refused,
      peakMb,
      totalOf(cpuUs),
    ]),
  };
}

/** Where the processor time goes: a row for each part, a column for each load. */
export function cpuTable(loads: readonly Pick<MeasuredLoad, "name" | "cpuUs">[]): ResultTable {
  return {
    headings: ["CPU µs per entry", ...loads.map(({ name }) => name)],
    rows: [
      ...CPU_PARTS.map((part): Cell[] => [part, ...loads.map(({ cpuUs }) => cpuUs[part])]),
      ["together", ...loads.map(({ cpuUs }) => totalOf(cpuUs))],
    ],
  };
}

/** What the API answered during the loads. */
export function probeTable(loads: readonly MeasuredLoad[]): ResultTable {
  return {
    headings: [
      "the API during the load",
      "GET p50 ms",
      "p99 ms",
      "longest ms",
      "failed",
      "search page p50 ms",
      "p95 ms",
    ],
    rows: loads.flatMap(({ name, probe }): Cell[][] => {
      if (!probe) return [];
      const { reads, searches } = probe;
      const failed = reads.failed + searches.failed;
      return [[name, reads.p50Ms, reads.p99Ms, reads.maxMs, failed, searches.p50Ms, searches.p95Ms]];
    }),
  };
}

export function baselineTable({ full, upsertsPerSecond }: Measured, copiedPerSecond: number): ResultTable {
  const best = Math.max(...full.map(({ searchablePerSecond }) => searchablePerSecond));
  return {
    headings: ["baseline", "rows/s", "Muster is"],
    rows: [
      ["COPY into plain tables (the limit)", copiedPerSecond, `${((best / copiedPerSecond) * 100).toFixed(1)} % of it`],
      ["row-at-a-time upserts, 8 connections", upsertsPerSecond, `${(best / upsertsPerSecond).toFixed(1)} times it`],
    ],
  };
}

export function loadCharts(loads: readonly MeasuredLoad[], paced: MeasuredLoad): Chart[] {
  const seconds = { label: "seconds" };
  return [
    {
      name: "ingest-throughput",
      title: "Entries acknowledged a second",
      x: seconds,
      y: { label: "entries/s" },
      lines: loads.map(({ name, report }) => ({
        name,
        points: report.timeline.map(({ second, entries }) => [second, entries]),
      })),
    },
    {
      name: "ingest-latency",
      title: `Time to acknowledge a batch: ${paced.name}`,
      x: seconds,
      y: { label: "ms" },
      lines: (["p50Ms", "p95Ms", "p99Ms"] as const).map((share) => ({
        name: share.slice(0, 3),
        points: paced.report.timeline.map((moment) => [moment.second, moment[share]]),
      })),
    },
  ];
}
