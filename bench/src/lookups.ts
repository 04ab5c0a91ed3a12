import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DuckDBInstance } from "@duckdb/node-api";
import { parse, parseSort } from "@muster/query";
import { COLUMN_RULES, TIMES_RULES } from "@muster/server/questions";
import { fillDataDir } from "./dataset/fill-data-dir.js";
import { typeOf } from "./dataset/generate.js";
import type { BenchOptions } from "./lib/bench.js";
import type { BenchResult } from "./lib/bench-result.js";
import { percentile } from "./lib/percentile.js";
import { openServersQuestions, type Questions } from "./lib/questions.js";
import type { Cell } from "./lib/render-table.js";
import { secondsSince } from "./lib/seconds-since.js";
import { withDataDir } from "./lib/start-server.js";

/** Ten events each. */
const USERS = [500_000, 2_000_000];
const LOOKED_UP = 40;
const PAGE = 50;
const POLL_MS = 20;
const NEVER = { ...TIMES_RULES, leastEvents: Number.POSITIVE_INFINITY };
const AT_ONCE = { ...TIMES_RULES, leastEvents: 0, lookEveryMs: 100 };

interface LookUp {
  ask(questions: Questions): Promise<number>;
}

/** Measures looking up the events of single users and accounts in the embedded engine, without and with the times of their events. */
export async function run({ scale }: BenchOptions): Promise<BenchResult> {
  const sizes = [];
  for (const users of USERS) sizes.push(await measureSize(Math.round(users * scale)));
  return {
    about: "Both ways found the same events.",
    tables: [
      {
        headings: ["events", "look-up", "events found", "all read p50 ms", "p95", "by times p50 ms", "p95"],
        rows: sizes.flatMap(({ rows }) => rows),
      },
      {
        headings: ["events", "noted in s", "entries", "tables", "longest write beside it, ms"],
        rows: sizes.map(({ noting }) => noting),
      },
    ],
  };
}

async function measureSize(users: number): Promise<{ rows: Cell[][]; noting: Cell[] }> {
  return withDataDir(async (dataDir) => {
    const now = Math.floor(Date.now() / 1_000);
    const { org } = await fillDataDir(dataDir, { users, now, hasEvents: true, hasProfiles: false });
    await orderByTime(join(dataDir, "questions", `${org}.duckdb`));
    const plain = await openServersQuestions(dataDir, COLUMN_RULES, NEVER);
    const lookUps = await chooseLookUps(plain, org, now);
    const [userPages, accountPages] = [await timeEach(plain, lookUps.users), await timeEach(plain, lookUps.accounts)];
    await plain.close();
    const questions = await openServersQuestions(dataDir, COLUMN_RULES, AT_ONCE);
    try {
      const noting = await noted(questions, org);
      const rows: Cell[][] = [];
      for (const [name, asked, before] of [
        ["a user's newest events", lookUps.users, userPages],
        ["an account's newest events", lookUps.accounts, accountPages],
      ] as const) {
        const after = await timeEach(questions, asked);
        if (after.found !== before.found)
          throw new Error(`${name}: ${before.found} without times, ${after.found} with.`);
        const times = [before, after].flatMap(({ ms }) => [percentile(ms, 0.5), percentile(ms, 0.95)]);
        rows.push([users * 10, name, before.found, ...times]);
      }
      return { rows, noting: [users * 10, ...noting] };
    } finally {
      await questions.close();
    }
  });
}

/** Events arrive about in the order of their time. The generated ones are in the order of their users. */
async function orderByTime(path: string): Promise<void> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1", memory_limit: "2GB" });
  const connection = await instance.connect();
  await connection.run(`attach '${path}' as t`);
  await connection.run("create table t.ordered as from t.events order by created_at");
  await connection.run("drop table t.events; alter table t.ordered rename to events; detach t");
  connection.closeSync();
  instance.closeSync();
}

async function chooseLookUps(questions: Questions, org: string, now: number) {
  const reading = { attributeTypes: { typeOf }, now: new Date(now * 1_000) };
  const eventsSort = parseSort({ created_at: "desc" }, { target: "event" });
  const chosen = async (target: "user" | "account"): Promise<LookUp[]> => {
    const all = { target, query: parse({}, { target }), ...reading };
    const rows = await questions.page(org, all, { sort: parseSort({ name: "asc" }, { target }), limit: LOOKED_UP });
    return rows.map(({ id }) => ({
      async ask(asked) {
        const query = parse({ term: { [`${target}_id`]: id } }, { target: "event" });
        const page = await asked.page(org, { target: "event", query, ...reading }, { sort: eventsSort, limit: PAGE });
        return page.length;
      },
    }));
  };
  return { users: await chosen("user"), accounts: await chosen("account") };
}

async function timeEach(questions: Questions, lookUps: readonly LookUp[]): Promise<{ found: number; ms: number[] }> {
  const ms: number[] = [];
  let found = 0;
  for (const { ask } of lookUps) {
    const since = performance.now();
    found += await ask(questions);
    ms.push(performance.now() - since);
  }
  return { found, ms };
}

/** Waits until all times are noted and sorted. Returns the longest time that a small write took meanwhile, too. */
async function noted(questions: Questions, org: string): Promise<Cell[]> {
  const since = performance.now();
  let longestMs = 0;
  for (;;) {
    const { documentsUntil } = await questions.progress(org);
    const [times] = await questions.eventTimes();
    if (times?.unread === 0 && times.isSettled) return [secondsSince(since), times.entries, times.runs, longestMs];
    const writingSince = performance.now();
    await questions.endDocuments(org, documentsUntil);
    longestMs = Math.max(longestMs, performance.now() - writingSince);
    await sleep(POLL_MS);
  }
}
