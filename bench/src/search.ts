import pg from "pg";
import { fillPostgres } from "./dataset/fill-postgres.js";
import { createTenth, startFilledServer } from "./dataset/start-filled-server.js";
import type { Api } from "./lib/api.js";
import type { BenchOptions } from "./lib/bench.js";
import type { BenchResult, ResultTable } from "./lib/bench-result.js";
import { comparedCells, comparedHeadings, ratioOf } from "./lib/compared-times.js";
import { goalMark } from "./lib/goal-mark.js";
import { percentile } from "./lib/percentile.js";
import type { Cell } from "./lib/render-table.js";
import { withDataDir } from "./lib/start-server.js";
import { MOST_ROUNDS, type TimedAnswer, timeRounds } from "./lib/time-rounds.js";
import { type Question, questionsAbout } from "./search/questions.js";

const USERS = 1_000_000;
const PAGE_SIZE = 30;
// Where PostgreSQL's index is ideal, Muster may be slower by at most this factor.
const SLOWER_AT_MOST = 2;

interface Line {
  question: Question;
  ours: TimedAnswer;
  theirs: TimedAnswer;
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
      await fillPostgres(client, { users, now, hasSearches: true });
      const segmentId = await createTenth(api, users);
      const lines: Line[] = [];
      for (const question of questionsAbout({ users, segmentId, now })) {
        lines.push(await compare(question, api, client));
      }
      const amount = `${users.toLocaleString("en")} users with 20 attributes, 10 events each`;
      return {
        about: `${amount}, written in ${fillSeconds.toFixed(0)} s; at most ${MOST_ROUNDS} rounds`,
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
  const ours = await timeRounds(() => ask(api, question));
  const theirs = await timeRounds(() => select(client, question));
  if (ours.total !== theirs.total) {
    throw new Error(`"${question.name}": ${ours.total} here, ${theirs.total} in PostgreSQL.`);
  }
  const { rows } = await client.query(`explain ${countOf(question)}`);
  // No other part of these plans has such a name.
  return { question, ours, theirs, isScan: /Seq Scan on (people|actions)/.test(JSON.stringify(rows)) };
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
  return {
    headings: [...comparedHeadings("rows"), "its plan", "Muster / PostgreSQL", ""],
    rows: lines.map(({ question: { name, goalMs }, ours, theirs, isScan }): Cell[] => {
      const ratio = ratioOf({ ours, theirs });
      const mark = goalMark(ratio <= (isScan ? 1 : SLOWER_AT_MOST));
      return [...comparedCells({ name, goalMs, ours, theirs }), isScan ? "scan" : "index", ratio, mark];
    }),
  };
}
