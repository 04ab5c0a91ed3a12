import pg from "pg";
import { fillPostgres } from "./dataset/fill-postgres.js";
import { startFilledServer } from "./dataset/start-filled-server.js";
import { type InsightQuestion, insightQuestions } from "./insights/insight-questions.js";
import type { Api } from "./lib/api.js";
import type { BenchOptions } from "./lib/bench.js";
import type { BenchResult } from "./lib/bench-result.js";
import { comparedCells, comparedHeadings, ratioOf } from "./lib/compared-times.js";
import type { Cell } from "./lib/render-table.js";
import { secondsSince } from "./lib/seconds-since.js";
import { withDataDir } from "./lib/start-server.js";
import { MOST_ROUNDS, timeRounds } from "./lib/time-rounds.js";

const USERS = 1_000_000;

/** Measures trends, funnels and retention over generated events, and the same questions in SQL on PostgreSQL. */
export async function run({ scale }: BenchOptions): Promise<BenchResult> {
  const users = Math.round(USERS * scale);
  const now = Math.floor(Date.now() / 1_000);
  return withDataDir(async (dataDir) => {
    const filling = { users, now, hasEvents: true, hasProfiles: false };
    const { server, api, fillSeconds } = await startFilledServer(dataDir, filling);
    const client = new pg.Client({ connectionString: await server.databaseUrl() });
    try {
      await client.connect();
      const fillingSince = performance.now();
      await fillPostgres(client, { users, now, hasSearches: false });
      const postgresSeconds = secondsSince(fillingSince);
      await client.query("set time zone 'UTC'");
      const rows: Cell[][] = [];
      for (const question of insightQuestions(now)) rows.push(await compare(question, api, client));
      const amount = `${users.toLocaleString("en")} users with 10 events each`;
      return {
        about: `${amount}, written in ${fillSeconds.toFixed(0)} s, to PostgreSQL in ${postgresSeconds.toFixed(0)} s; at most ${MOST_ROUNDS} rounds`,
        tables: [
          {
            headings: [...comparedHeadings("figure"), "Muster / PostgreSQL"],
            rows,
          },
        ],
      };
    } finally {
      await client.end();
      await server.stop();
    }
  });
}

async function compare(question: InsightQuestion, api: Api, client: pg.Client): Promise<Cell[]> {
  const { name, goalMs, path, body, sql } = question;
  const ours = await timeRounds(async () => {
    const answer = (await (await api("POST", `/insights/${path}`, body)).json()) as never;
    return question.figure(answer);
  });
  const theirs = await timeRounds(async () => {
    const { rows } = await client.query<{ figure: string | null }>(sql);
    return Number(rows[0]?.figure ?? 0);
  });
  if (ours.total !== theirs.total) throw new Error(`"${name}": ${ours.total} here, ${theirs.total} in PostgreSQL.`);
  return [...comparedCells({ name, goalMs, ours, theirs }), ratioOf({ ours, theirs })];
}
