import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { BenchOptions } from "../../lib/bench.js";
import { percentile } from "../../lib/percentile.js";
import { secondsSince } from "../../lib/seconds-since.js";
import { withDataDir } from "../../lib/start-server.js";
import type { ChaosCase } from "../chaos-case.js";
import type { Verdict } from "../check.js";
import { type LoadedServer, underLoad } from "../under-load.js";

const SEGMENTS = 2_000;
/** One of so many segments has a window of time. */
const WINDOWS_EVERY = 4;
const EVENT_NAMES = 50;
const VISITORS = 200;
const MINUTES = 10;
const MINUTE_MS = 60_000;
const LOOK_EVERY_MS = 5_000;
/** Entries a second. The full speed of the other cases is that of accepting, and a backlog would hide everything else. */
const PACE = 1_000;
const CHECKED = 100;
/** How long a membership may lag at the end, when nothing arrives any more. */
const SETTLE_MS = 2 * MINUTE_MS;

export const manySegments: ChaosCase = {
  name: "many-segments",
  description: "2,000 segments, 500 of them with windows of time, under load for ten minutes (--minutes)",
  run,
};

async function run({ minutes = MINUTES, scale, seed = Date.now() % 100_000 }: BenchOptions): Promise<boolean> {
  return withDataDir(async (folder) => {
    const holds = join(folder, "holds");
    await mkdir(holds);
    const start = {
      dataDir: join(folder, "data"),
      logFolder: folder,
      name: manySegments.name,
      seed,
      preload: new URL("../watch-threads.js", import.meta.url),
      environment: { WATCH_THREADS_FOLDER: holds },
    };
    return underLoad(start, (loaded) => loadSegments(loaded, holds, Math.round(SEGMENTS * scale), minutes * MINUTE_MS));
  });
}

interface SegmentDetails {
  id: string;
  query: object;
  evaluated: boolean;
  stale_seconds: number;
  stats: { users: number };
}

async function loadSegments(loaded: LoadedServer, holds: string, count: number, forMs: number): Promise<Verdict[]> {
  const { history, operator, load } = loaded;
  load.pace = Math.min(load.pace, PACE);
  history.note(`the load is now ${load.pace.toFixed(0)} entries/s`);
  const createdAt = performance.now();
  for (let index = 0; index < count; index++) {
    const query = index % WINDOWS_EVERY === 0 ? windowOf(index) : attributeOf(index);
    await operator.call("POST", "/users_segments", { name: `Segment ${index}`, query, predicate: {} });
  }
  history.note(`${count} segments were created in ${secondsSince(createdAt).toFixed(0)} s`);

  const visits = new Visits(loaded);
  const until = Date.now() + forMs;
  const staleness: number[] = [];
  let worst: SegmentDetails | undefined;
  let allEvaluatedAt: number | undefined;
  while (Date.now() < until) {
    const segments = await operator.call<SegmentDetails[]>("GET", "/users_segments");
    for (const segment of segments) {
      staleness.push(segment.stale_seconds);
      if (segment.stale_seconds > (worst?.stale_seconds ?? -1)) worst = segment;
    }
    if (allEvaluatedAt === undefined && segments.every(({ evaluated }) => evaluated)) {
      allEvaluatedAt = secondsSince(createdAt);
      history.note(`all of them are evaluated for everybody after ${allEvaluatedAt.toFixed(0)} s`);
    }
    await visits.goOn(LOOK_EVERY_MS);
  }
  const windows = staleness.filter((seconds) => seconds > 0).sort((one, other) => one - other);
  const [p50, p99] = [0.5, 0.99].map((part) => percentile(windows, part).toFixed(0));
  history.note(
    `staleness of segments with a window: p50 ${p50} s, p99 ${p99} s, longest ${(windows.at(-1) ?? 0).toFixed(0)} s`,
  );
  const delays = visits.delaysMs.sort((one, other) => one - other);
  history.note(
    `acknowledged → in its segments: p50 ${percentile(delays, 0.5).toFixed(0)} ms, p99 ${percentile(delays, 0.99).toFixed(0)} ms of ${delays.length}`,
  );
  history.note(`longest hold of each thread: ${await readHolds(holds)}`);
  // What is compared at the end must not change meanwhile.
  await loaded.load.stop();
  return [
    {
      promise: "segments that were never evaluated for everybody",
      checked: count,
      broken: allEvaluatedAt === undefined ? [`worst: ${worst?.id}, ${worst?.stale_seconds} s`] : [],
    },
    await checkMembers(loaded),
  ];
}

/** Members leave it while the case runs. */
function windowOf(index: number): object {
  const minutes = 1 + (index % 10);
  const query = {
    bool: {
      must: [{ term: { event: nameOf(index) } }, { range: { created_at: { gte: `now-${minutes}m` } } }],
    },
  };
  return { has_child: { type: "event", query, min_children: 1 + (index % 3) } };
}

/** A user is in a few of them at a time, and moves on with each record. */
function attributeOf(index: number): object {
  const ranges = [
    { range: { traits_n: { gte: 5 * index, lt: 5 * index + 20 } } },
    { range: { traits_visits: { gte: 10 * index, lt: 10 * index + 40 } } },
    { bool: { must: [{ term: { traits_plan: `plan ${index % 40}` } }, { range: { traits_visits: { lt: index } } }] } },
  ];
  return ranges[index % ranges.length] ?? {};
}

function nameOf(index: number): string {
  return `Visit ${index % EVENT_NAMES}`;
}

/** Visitors whose events enter windows, and leave them with time. */
class Visits {
  readonly #loaded: LoadedServer;
  readonly delaysMs: number[] = [];
  #next = 0;

  constructor(loaded: LoadedServer) {
    this.#loaded = loaded;
  }

  /** Sends visits for a while, one after the other, and measures how long each takes until its segments are evaluated. */
  async goOn(forMs: number): Promise<void> {
    const { sender } = this.#loaded;
    const until = Date.now() + forMs;
    while (Date.now() < until) {
      const visitor = `visitor-${this.#next % VISITORS}`;
      const event = nameOf(this.#next);
      const key = `${visitor} ${this.#next}`;
      this.#next += 1;
      const answer = await sender.callAs(visitor, "/me/track", key, { event });
      if (!answer) return;
      const begunAt = performance.now();
      if (!(await sender.waitFor(answer.position))) return;
      this.delaysMs.push(performance.now() - begunAt);
      await sleep(50);
    }
  }
}

async function readHolds(folder: string): Promise<string> {
  const longest = new Map<string, number>();
  for (const file of await readdir(folder)) {
    const [name = ""] = file.split(" ");
    longest.set(name, Math.max(longest.get(name) ?? 0, Number(await readFile(join(folder, file), "utf8"))));
  }
  return [...longest].map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`).join(", ");
}

/** Compares the members of some segments with what a search for their query finds. */
async function checkMembers({ operator }: LoadedServer): Promise<Verdict> {
  const segments = await operator.call<SegmentDetails[]>("GET", "/users_segments");
  const checked = segments.filter((_, index) => index % Math.ceil(segments.length / CHECKED) === 0);
  const deadline = Date.now() + SETTLE_MS;
  const broken: string[] = [];
  for (const { id, query } of checked) {
    for (;;) {
      const [members, matching] = await Promise.all([
        countUsers(operator, { term: { segment_ids: id } }),
        countUsers(operator, query),
      ]);
      if (members === matching) break;
      if (Date.now() > deadline) {
        broken.push(`${id}: ${members} members, ${matching} match ${JSON.stringify(query)}`);
        break;
      }
      await sleep(1_000);
    }
  }
  return { promise: "segments whose members are not those that a search finds", checked: checked.length, broken };
}

async function countUsers(operator: LoadedServer["operator"], query: object): Promise<number> {
  const { pagination } = await operator.call<{ pagination: { total: number } }>("POST", "/search/user_reports", {
    query,
    per_page: 0,
  });
  return pagination.total;
}
