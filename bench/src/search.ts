import pg from "pg";
import { fillPostgres } from "./dataset/fill-postgres.js";
import { SEGMENT_ID, startFilledServer } from "./dataset/start-filled-server.js";
import type { Api } from "./lib/api.js";
import type { BenchOptions } from "./lib/bench.js";
import { percentile } from "./lib/percentile.js";
import { type Cell, renderTable } from "./lib/render-table.js";
import { withDataDir } from "./lib/start-server.js";
import { type Question, questionsAbout } from "./search/questions.js";

const USERS = 1_000_000;
const ROUNDS = 20;
const WARM_UP = 3;
const GOAL_MS = { attributes: 80, events: 300 };
// Where PostgreSQL's index is ideal we may be slower, but not more than this.
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

/** Twelve questions about generated users and events, beside the same questions in SQL on PostgreSQL. */
export async function run({ scale }: BenchOptions): Promise<void> {
  const users = Math.round(USERS * scale);
  const now = Math.floor(Date.now() / 1_000);
  await withDataDir(async (dataDir) => {
    const { server, api } = await startFilledServer(dataDir, { users, now, hasEvents: true });
    const client = new pg.Client({ connectionString: await server.databaseUrl() });
    try {
      await client.connect();
      await fillPostgres(client, users, now);
      const lines: Line[] = [];
      for (const question of questionsAbout(SEGMENT_ID)) lines.push(await compare(question, api, client));
      console.log(`${users.toLocaleString("en")} users with 20 attributes, 10 events each, ${ROUNDS} rounds\n`);
      console.log(render(lines));
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
  // Nothing else in a plan of ours is called that.
  return { question, ours, theirs, isScan: /Seq Scan on (people|actions)/.test(JSON.stringify(rows)) };
}

async function timed(work: () => Promise<number>): Promise<Timed> {
  const ms: number[] = [];
  let total = 0;
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const startedAt = performance.now();
    total = await work();
    if (round >= WARM_UP) ms.push(performance.now() - startedAt);
  }
  return { total, ms };
}

async function ask(api: Api, { query, page }: Question): Promise<number> {
  const body = { query, per_page: page ? 30 : 0, ...(page ? { sort: page.sort } : {}) };
  const answer = await api("POST", "/search/user_reports", body);
  const { data, pagination } = (await answer.json()) as { data: unknown[]; pagination: { total: number } };
  if (page && data.length !== 30) throw new Error(`A page of thirty has ${data.length} rows.`);
  return pagination.total;
}

async function select(client: pg.Client, question: Question): Promise<number> {
  const { page, sql } = question;
  if (page)
    await client.query(`select p.id, p.attributes from people p where ${sql} order by ${page.orderBy} limit 30`);
  const { rows } = await client.query<{ total: string }>(countOf(question));
  return Number(rows[0]?.total);
}

function countOf({ sql }: Question): string {
  return `select count(*) as total from people p where ${sql}`;
}

function render(lines: readonly Line[]): string {
  const headings = ["question", "rows", "p50 ms", "p95 ms", "PostgreSQL p50", "p95", "its plan", "goal"];
  return renderTable(
    headings,
    lines.map(({ question, ours, theirs, isScan }): Cell[] => [
      question.name,
      ours.total,
      percentile(ours.ms, 0.5),
      percentile(ours.ms, 0.95),
      percentile(theirs.ms, 0.5),
      percentile(theirs.ms, 0.95),
      isScan ? "scan" : "index",
      verdict(question, ours.ms, theirs.ms, isScan),
    ]),
  );
}

function verdict({ about }: Question, ours: number[], theirs: number[], isScan: boolean): string {
  const p95 = percentile(ours, 0.95);
  const ratio = percentile(ours, 0.5) / percentile(theirs, 0.5);
  const missed = [
    ...(p95 > GOAL_MS[about] ? [`over ${GOAL_MS[about]} ms`] : []),
    ...(ratio > (isScan ? 1 : SLOWER_AT_MOST) ? [`${ratio.toFixed(1)} times PostgreSQL`] : []),
  ];
  return missed.length === 0 ? "met" : missed.join(", ");
}
