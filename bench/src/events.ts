import { setTimeout as sleep } from "node:timers/promises";
import { COLUMN_RULES } from "@muster/server/questions";
import { fillDataDir } from "./dataset/fill-data-dir.js";
import { typeOf } from "./dataset/generate.js";
import { propertyQuestions } from "./events/property-questions.js";
import type { BenchOptions } from "./lib/bench.js";
import type { BenchResult } from "./lib/bench-result.js";
import { percentile } from "./lib/percentile.js";
import { openServersQuestions, type Questions } from "./lib/questions.js";
import type { Cell } from "./lib/render-table.js";
import { secondsSince } from "./lib/seconds-since.js";
import { withDataDir } from "./lib/start-server.js";
import { timeRounds } from "./lib/time-rounds.js";

/** Ten events each. */
const USERS = [200_000, 1_000_000];
const KEYS = ["properties.amount", "properties.path"];
const POLL_MS = 20;

/** Measures questions about properties of events in the embedded engine, without and with columns, and the filling of these. */
export async function run({ scale }: BenchOptions): Promise<BenchResult> {
  const tables = [];
  for (const users of USERS) tables.push(await measureSize(Math.round(users * scale)));
  return {
    about: "The answers without and with columns were the same.",
    tables: [
      {
        headings: ["events", "question", "answer", "text p50 ms", "p95", "columns p50 ms", "p95"],
        rows: tables.flatMap(({ rows }) => rows),
      },
      {
        headings: ["events", "filled in s", "columns", "longest write beside it, ms"],
        rows: tables.map(({ filling }) => filling),
      },
    ],
  };
}

async function measureSize(users: number): Promise<{ rows: Cell[][]; filling: Cell[] }> {
  return withDataDir(async (dataDir) => {
    const now = Math.floor(Date.now() / 1_000);
    const { org } = await fillDataDir(dataDir, { users, now, hasEvents: true, hasProfiles: false });
    const rules = { ...COLUMN_RULES, leastEvents: 0, uses: Number.POSITIVE_INFINITY, areRead: false };
    const questions = await openServersQuestions(dataDir, rules);
    try {
      const asked = propertyQuestions(org, { attributeTypes: { typeOf }, now: new Date(now * 1_000) });
      const fromText = [];
      for (const { ask } of asked) fromText.push(await timeRounds(() => ask(questions)));
      rules.uses = 1;
      rules.apartMs = 0;
      for (const { ask } of asked) await ask(questions);
      const since = performance.now();
      const longestMs = await filled(questions, org);
      const fillSeconds = secondsSince(since);
      rules.areRead = true;
      const rows: Cell[][] = [];
      for (const [index, { name, ask }] of asked.entries()) {
        const text = fromText[index]!;
        const columns = await timeRounds(() => ask(questions));
        if (Math.abs(text.total - columns.total) > Math.abs(text.total) * 1e-9) {
          throw new Error(`"${name}": ${text.total} without columns, ${columns.total} with them.`);
        }
        const times = [text, columns].flatMap(({ ms }) => [percentile(ms, 0.5), percentile(ms, 0.95)]);
        rows.push([users * 10, name, Math.round(text.total), ...times]);
      }
      return { rows, filling: [users * 10, fillSeconds, KEYS.length, longestMs] };
    } finally {
      await questions.close();
    }
  });
}

/** Waits until the columns are filled. Returns the longest time that a small write took meanwhile. */
async function filled(questions: Questions, org: string): Promise<number> {
  let longestMs = 0;
  for (;;) {
    const columns = await questions.eventColumns();
    if (KEYS.every((key) => columns.some((column) => column.key === key && column.state === "complete")))
      return longestMs;
    const since = performance.now();
    const { documentsUntil } = await questions.progress(org);
    await questions.endDocuments(org, documentsUntil);
    longestMs = Math.max(longestMs, performance.now() - since);
    await sleep(POLL_MS);
  }
}
