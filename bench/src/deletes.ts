import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { BenchOptions } from "./lib/bench.js";
import type { BenchResult } from "./lib/bench-result.js";
import { percentile } from "./lib/percentile.js";
import { withDataDir } from "./lib/start-server.js";

const USERS = [100_000, 1_000_000, 5_000_000];
const ROUNDS = 60;
/** Users that a step replaces. */
const STEP = 10;
/** Rows of the small table, in the way that has one. */
const RECENT = 20_000;
// As the engine of the server is opened on two processors.
const SETTINGS = { threads: "1", checkpoint_threshold: "1TB", preserve_insertion_order: "false" };
const BLOCK_BYTES = 64 * 1024;

/** How replaced users can be found and deleted. */
interface Way {
  name: string;
  order?: string;
  prepare?(world: World): Promise<void>;
  /** The statement that removes these users. */
  remove(keys: readonly bigint[], world: World): string;
  table: string;
  /** What questions read. */
  read: string;
}

interface World {
  connection: DuckDBConnection;
  /** The row number of each key, for the way that keeps them in memory. */
  rowOf: Map<bigint, bigint>;
}

const USERS_TABLE = { table: "t.users", read: "t.users" };
const WAYS: readonly Way[] = [
  { name: "keys in a list (today)", ...USERS_TABLE, remove: byKeys },
  { name: "the same, rows sorted by key", ...USERS_TABLE, order: "order by key", remove: byKeys },
  {
    name: "an index on the key",
    ...USERS_TABLE,
    prepare: async ({ connection }) => void (await connection.run("create index by_key on t.users (key)")),
    remove: byKeys,
  },
  {
    name: "row numbers kept in memory",
    ...USERS_TABLE,
    async prepare({ connection, rowOf }) {
      const reader = await connection.runAndReadAll("select key, rowid from t.users");
      for (const [key, row] of reader.getRows()) rowOf.set(key as bigint, row as bigint);
    },
    remove: (keys, { rowOf }) => `delete from t.users where rowid in (${keys.map((key) => rowOf.get(key))})`,
  },
  {
    name: "a small table of recent versions",
    table: "t.recent",
    read: "(from t.users where key not in (select key from t.recent) union all from t.recent)",
    async prepare({ connection }) {
      await connection.run(
        `create table t.recent as from t.users where rowid % (select count(*) // ${RECENT} from t.users) = 0`,
      );
    },
    remove: (keys) => `delete from t.recent where key in (${keys})`,
  },
];

function byKeys(keys: readonly bigint[]): string {
  return `delete from t.users where key in (${keys})`;
}

/** Compares ways to replace ten users among many: a step, a commit of 2,000 rows, and a question about everybody. */
export async function run({ scale, only, users: most = 5_000_000 }: BenchOptions): Promise<BenchResult> {
  const rows: string[][] = [];
  for (const count of USERS.map((users) => Math.round(users * scale)).filter((users) => users <= most)) {
    for (const way of WAYS.filter(({ name }) => name.includes(only ?? ""))) {
      rows.push([
        count.toLocaleString("en"),
        way.name,
        ...(await withDataDir((folder) => measure(way, count, folder))),
      ]);
      console.log(rows.at(-1)?.join("  "));
    }
  }
  const headings = [
    "users",
    "way",
    "delete and append 10",
    "commit of 2,000",
    "count and average",
    "ten newest",
    "checkpoint",
  ];
  return { tables: [{ headings, rows }] };
}

async function measure(way: Way, count: number, folder: string): Promise<string[]> {
  const instance = await DuckDBInstance.create(":memory:", SETTINGS);
  const connection = await instance.connect();
  const file = join(folder, "users.db");
  await connection.run(`attach '${file}' as t (block_size ${BLOCK_BYTES})`);
  await connection.run(
    `create table t.users as
     select (hash(i) >> 1)::bigint as key, printf('01a1f1f0%016x', i) as id, i as created_at, repeat('x', 100) || i as report,
       random() as a, random() as b, (random() * 100)::integer::varchar as c
     from range(${count}) r(i) ${way.order ?? ""}`,
  );
  const world: World = { connection, rowOf: new Map() };
  const keys = (await connection.runAndReadAll(`select key from t.users using sample ${ROUNDS * STEP} rows`))
    .getRows()
    .map(([key]) => key as bigint);
  await way.prepare?.(world);
  await connection.run("checkpoint t");
  const step = async (some: readonly bigint[], row: number) => {
    await connection.run(`begin; ${way.remove(some, world)}`);
    const appended = some.map((key) => `(${key}, 'x${key}', ${row}, 'report', 0.5, 0.5, '7')`);
    await connection.run(`insert into ${way.table} values ${appended}; commit`);
  };
  const steps: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const some = keys.slice(round * STEP, (round + 1) * STEP);
    steps.push(await timed(() => step(some, round)));
  }
  const bulk = await timed(async () => {
    await connection.run(
      `insert into ${way.table} select (hash(i + 1000000000) >> 1)::bigint, 'y' || i, i, 'report', 0.5, 0.5, '7' from range(2000) r(i)`,
    );
  });
  const question = await median(() =>
    connection.runAndReadAll(`select count(*), avg(b) from ${way.read} where a > 0.5 and c <> '7'`),
  );
  const page = await median(() =>
    connection.runAndReadAll(`select id, report from ${way.read} where a > 0.5 order by created_at desc, id limit 10`),
  );
  const checkpoint = await timed(() => connection.run("checkpoint t"));
  connection.closeSync();
  instance.closeSync();
  return [percentile(steps, 0.5), bulk, question, page, checkpoint].map((ms) => `${ms.toFixed(1)} ms`);
}

async function median(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < 7; round++) times.push(await timed(work));
  return percentile(times, 0.5);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
