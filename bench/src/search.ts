import pg from "pg";
import { fillPostgres } from "./dataset/fill-postgres.js";
import { createTenth, startFilledServer } from "./dataset/start-filled-server.js";
import type { Api } from "./lib/api.js";
import type { BenchOptions } from "./lib/bench.js";
import type { BenchResult, ResultTable } from "./lib/bench-result.js";
import { goalMark } from "./lib/goal-mark.js";
import { percentile } from "./lib/percentile.js";
import type { Cell } from "./lib/render-table.js";
import { withDataDir } from "./lib/start-server.js";
import { type Question, questionsAbout } from "./search/questions.js";

const USERS = 1_000_000;
const ROUNDS = 20;
const WARM_UP = 3;
// PostgreSQL takes a second for some questions. It need not be asked twenty times to know that.
const LEAST_ROUNDS = 3;
const LIMIT_MS = 3_000;
const PAGE_SIZE = 30;
// Where PostgreSQL's index is ideal, Muster may be slower by at most this factor.
const SLOWER_AT_MOST = 2;

interface Timed {
  total: number;
  ms: number[];
}

interface Line {
  question: Question;
  ours: Timed;
  theirs: Timed;
  isScan: boolean;
}

/** Measures questions about generated users and events, and the same questions in SQL on PostgreSQL. */
export async function run({ scale }: BenchOptions): Promise<BenchResult> {
  const users = Math.round(USERS * scale);
  const now = Math.floor(Date.now() / 1_000);
  return withDataDir(async (dataDir) => {
    const { server, api, fillSeconds } = await startFilledServer(dataDir, {
      users,
      now,
      hasEvents: true,
      hasProfiles: false,
    });
    const client = new pg.Client({ connectionString: await server.databaseUrl() });
    try {
      await client.connect();
      await fillPostgres(client, users, now);
      const segmentId = await createTenth(api, users);
      const lines: Line[] = [];
      for (const question of questionsAbout({ users, segmentId, now })) {
        lines.push(await compare(question, api, client));
      }
      const amount = `${users.toLocaleString("en")} users with 20 attributes, 10 events each`;
      return {
        about: `${amount}, written in ${fillSeconds.toFixed(0)} s; at most ${ROUNDS} rounds`,
        tables: [tableOf(lines)],
        bySize: {
          size: users,
          figures: Object.fromEntries(lines.map(({ question, ours }) => [question.name, percentile(ours.ms, 0.95)])),
        },
      };
    } finally {
      await client.end();
      await server.stop();
    }
  });
}

async function compare(question: Question, api: Api, client: pg.Client): Promise<Line> {
  const ours = await timed(() => ask(api, question));
  const theirs = await timed(() => select(client, question));
  if (ours.total !== theirs.total) {
    throw new Error(`"${question.name}": ${ours.total} here, ${theirs.total} in PostgreSQL.`);
  }
  const { rows } = await client.query(`explain ${countOf(question)}`);
  // No other part of these plans has such a name.
  return { question, ours, theirs, isScan: /Seq Scan on (people|actions)/.test(JSON.stringify(rows)) };
}

async function timed(work: () => Promise<number>): Promise<Timed> {
  const ms: number[] = [];
  let total = 0;
  const deadline = performance.now() + LIMIT_MS;
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    if (ms.length >= LEAST_ROUNDS && performance.now() > deadline) break;
    const startedAt = performance.now();
    total = await work();
    if (round >= WARM_UP) ms.push(performance.now() - startedAt);
  }
  return { total, ms };
}

async function ask(api: Api, { query, page, of }: Question): Promise<number> {
  const path = of === "events" ? "/search/events" : "/search/user_reports";
  const body = { query, per_page: page ? PAGE_SIZE : 0, ...(page ? { sort: page.sort } : {}) };
  const answer = await api("POST", path, body);
  const { data, pagination } = (await answer.json()) as { data: unknown[]; pagination: { total: number } };
  const rows = Math.min(PAGE_SIZE, pagination.total);
  if (page && data.length !== rows) throw new Error(`A page of ${rows} has ${data.length} rows.`);
  return pagination.total;
}

async function select(client: pg.Client, question: Question): Promise<number> {
  const { page, sql } = question;
  if (page) await client.query(`${rowsOf(question)} where ${sql} order by ${page.orderBy} limit ${PAGE_SIZE}`);
  const { rows } = await client.query<{ total: string }>(countOf(question));
  return Number(rows[0]?.total);
}

function rowsOf({ of }: Question): string {
  return of === "events"
    ? "select a.event, a.created_at, a.properties from actions a"
    : "select p.id, p.attributes from people p";
}

function countOf({ sql, of }: Question): string {
  return `select count(*) as total from ${of === "events" ? "actions a" : "people p"} where ${sql}`;
}

function tableOf(lines: readonly Line[]): ResultTable {
  const headings = [
    "question",
    "rows",
    "p50 ms",
    "p95 ms",
    "goal",
    "",
    "PostgreSQL p50",
    "p95",
    "its plan",
    "Muster / PostgreSQL",
    "",
  ];
  return {
    headings,
    rows: lines.map(({ question: { name, goalMs }, ours, theirs, isScan }): Cell[] => {
      const p95 = percentile(ours.ms, 0.95);
      const ratio = percentile(ours.ms, 0.5) / percentile(theirs.ms, 0.5);
      return [
        name,
        ours.total,
        percentile(ours.ms, 0.5),
        p95,
        `≤ ${goalMs}`,
        goalMark(p95 <= goalMs),
        percentile(theirs.ms, 0.5),
        percentile(theirs.ms, 0.95),
        isScan ? "scan" : "index",
        ratio,
        goalMark(ratio <= (isScan ? 1 : SLOWER_AT_MOST)),
      ];
    }),
  };
}
