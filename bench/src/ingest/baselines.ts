import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { secondsSince } from "../lib/seconds-since.js";

const CONNECTIONS = 8;

/** The upper limit: rows a second with `COPY` into plain tables, 60 % users and 40 % events. */
export async function copyRows(databaseUrl: string, rows: number): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await createTables(client);
    const startedAt = performance.now();
    const userRows = Math.round(rows * 0.6);
    await pipeline(
      Readable.from(lines(userRows, userLine)),
      client.query(copyFrom("copy bench_staged (id, attributes) from stdin")),
    );
    await pipeline(
      Readable.from(lines(rows - userRows, eventLine)),
      client.query(copyFrom("copy bench_events (user_id, event, properties) from stdin")),
    );
    return rows / secondsSince(startedAt);
  } finally {
    await dropTables(client);
    await client.end();
  }
}

/** Rows a second with what one would write by hand: one statement and one commit for each record, on eight connections. */
export async function upsertRows(databaseUrl: string, seconds: number, users: number): Promise<number> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS });
  const client = await pool.connect();
  await createTables(client);
  client.release();
  let rows = 0;
  const startedAt = performance.now();
  const deadline = startedAt + seconds * 1_000;
  const worker = async () => {
    while (performance.now() < deadline) {
      const count = rows++;
      const user = `user-${(count * 7_919) % users}`;
      if (count % 100 < 60) await upsertUser(pool, user, count);
      else {
        await upsertUser(pool, user, count);
        await pool.query("insert into bench_events (user_id, event, properties) values ($1, $2, $3)", [
          user,
          "Page viewed",
          JSON.stringify({ amount: count }),
        ]);
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  const rate = rows / secondsSince(startedAt);
  const last = await pool.connect();
  await dropTables(last);
  last.release();
  await pool.end();
  return rate;
}

async function upsertUser(pool: pg.Pool, user: string, count: number): Promise<void> {
  await pool.query("select attributes from bench_users where id = $1", [user]);
  await pool.query(
    `insert into bench_users (id, attributes)
     values ($1, $2)
     on conflict (id) do update
     set attributes = bench_users.attributes || excluded.attributes`,
    [user, JSON.stringify({ plan: "pro", mrr: count % 500, seats: count % 50 })],
  );
}

async function createTables(client: pg.ClientBase): Promise<void> {
  await client.query(`
    create table if not exists bench_users (id text primary key, attributes jsonb not null);
    create table if not exists bench_staged (id text, attributes jsonb not null);
    create table if not exists bench_events (
      id bigint generated always as identity primary key,
      user_id text not null,
      event text not null,
      properties jsonb not null
    );`);
}

async function dropTables(client: pg.ClientBase): Promise<void> {
  await client.query("drop table if exists bench_users, bench_staged, bench_events");
}

function* lines(count: number, line: (index: number) => string): Generator<string> {
  for (let start = 0; start < count; start += 1_000) {
    let text = "";
    for (let index = start; index < Math.min(count, start + 1_000); index++) text += line(index);
    yield text;
  }
}

function userLine(index: number): string {
  return `user-${index}\t{"first_name":"User ${index}","plan":"pro","mrr":${index % 500},"country":"FR","seats":${index % 50},"trial":true}\n`;
}

function eventLine(index: number): string {
  return `user-${index}\tPage viewed\t{"path":"/p/${index % 200}","amount":${index % 1_000},"label":"value ${index % 37}"}\n`;
}
