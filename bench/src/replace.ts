import { fillDataDir } from "./dataset/fill-data-dir.js";
import type { BenchOptions } from "./lib/bench.js";
import { startChild } from "./lib/child.js";
import { renderTable } from "./lib/render-table.js";
import { withDataDir } from "./lib/start-server.js";
import type { ChurnOrder, ChurnReport } from "./replace/churn.js";

const USERS = 1_000_000;
const SIZE = 1_000;
const SECONDS = 120;
const REPORT_SECONDS = 10;
const MB = 1024 * 1024;
// Sizes vary between checkpoints. A larger ratio between two quarters is growth.
const LARGEST_RATIO = 1.1;

/** Shows whether files and memory grow while users are replaced for a long time. `--seconds` sets how long. */
export async function run({ scale, seconds = SECONDS * scale }: BenchOptions): Promise<void> {
  await withDataDir(async (dataDir) => {
    const users = Math.round(USERS * scale);
    const now = Math.floor(Date.now() / 1_000);
    const { org, sequence } = await fillDataDir(dataDir, { users, now, hasEvents: false, hasProfiles: false });
    console.log(`${users.toLocaleString("en")} users, micro-batches of ${SIZE} of them with as many events\n`);
    const reports = await churn({
      dataDir,
      org,
      users,
      sequence,
      size: SIZE,
      seconds,
      every: Math.min(REPORT_SECONDS, seconds / 4),
    });
    console.log(`\n${renderGrowth(reports)}`);
  });
}

async function churn(order: ChurnOrder): Promise<ChurnReport[]> {
  const child = startChild(new URL("./replace/churn.js", import.meta.url), []);
  child.send(order);
  const reports: ChurnReport[] = [];
  console.log(HEADINGS.join("  "));
  for (;;) {
    const message = await child.next<ChurnReport | { isDone: true }>();
    if ("isDone" in message) break;
    // Each line is printed as soon as it is known, so that a run of hours can be watched.
    console.log(lineOf(message));
    reports.push(message);
  }
  await child.stop();
  return reports;
}

const HEADINGS = [
  "second",
  "users/s",
  "file MB",
  "log MB",
  "memory MB",
  "write p50 ms",
  "max ms",
  "search p50 ms",
  "max ms",
];

function lineOf({ second, usersPerSecond, fileBytes, logBytes, rssBytes, write, search }: ChurnReport): string {
  const sizes = [fileBytes, logBytes, rssBytes].map((bytes) => bytes / MB);
  const values = [second, usersPerSecond, ...sizes, write.p50Ms, write.maxMs, search.p50Ms, search.maxMs];
  return values.map((value, column) => value.toFixed(0).padStart(HEADINGS[column]?.length ?? 0)).join("  ");
}

/** Compares the last quarter with the second one. In the first, files and caches still grow to their normal size. */
function renderGrowth(reports: readonly ChurnReport[]): string {
  const quarter = reports.length / 4;
  const mean = (from: number, read: (report: ChurnReport) => number) => {
    const part = reports.slice(Math.floor(from * quarter), Math.ceil((from + 1) * quarter));
    return part.reduce((sum, report) => sum + read(report), 0) / part.length;
  };
  const row = (what: string, read: (report: ChurnReport) => number) => {
    const ratio = mean(3, read) / mean(1, read);
    return [what, mean(1, read) / MB, mean(3, read) / MB, ratio, ratio <= LARGEST_RATIO ? "stable" : "GROWS"];
  };
  return renderTable(
    ["", "second quarter MB", "last quarter MB", "ratio", ""],
    [row("file", ({ fileBytes }) => fileBytes), row("memory", ({ rssBytes }) => rssBytes)],
  );
}
