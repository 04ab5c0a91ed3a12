import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type ClickHouse, watchSlowQueries } from "./clickhouse.js";
import { openEmbeddedClickHouse } from "./embedded-clickhouse.js";

let parent: string;
let engine: ClickHouse;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "muster-ch-"));
  engine = await open();
});
afterEach(async () => {
  await engine.close();
  await rm(parent, { recursive: true });
});

function open(): Promise<ClickHouse> {
  return openEmbeddedClickHouse({ dataDir: join(parent, "a path with spaces"), memoryBytes: 512 * 1024 * 1024 });
}

test("rows come back as values, with parameters that are never read as SQL", async () => {
  const hostile = `'); drop table x; -- \\ \n\t"`;
  expect(
    await engine.rows("select {text:String} as text, {list:Array(String)} as list, {n:Int64} as n, null as nothing", {
      text: hostile,
      list: [hostile, "ä👍"],
      n: 2 ** 53 - 1,
    }),
  ).toEqual([{ text: hostile, list: [hostile, "ä👍"], n: 2 ** 53 - 1, nothing: null }]);
  expect(await engine.rows("select 1 where 0")).toEqual([]);
});

test("what was written is there after closing and opening again", async () => {
  await engine.command("create table kept (n UInt32) engine = MergeTree order by n");
  await engine.command("insert into kept select number from numbers(1000)");
  await engine.close();
  engine = await open();
  expect(await engine.rows("select count() as rows, sum(n) as total from kept")).toEqual([
    { rows: 1000, total: 499500 },
  ]);
});

test("a stream gives the whole answer, and its session back when the reader leaves early", async () => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of engine.stream("select number from numbers(200000)", {}, "TSV")) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString().trimEnd().split("\n")).toHaveLength(200_000);

  // More often than there are sessions: one that was not given back would stop the last reader for ever.
  for (let reader = 0; reader < 8; reader++) {
    for await (const _ of engine.stream("select number from numbers(1000000)", {}, "TSV")) break;
  }
  expect(await engine.rows("select 1 as one")).toEqual([{ one: 1 }]);
});

test("more questions than sessions are all answered, and a slow one holds up none of the others", async () => {
  let isSlowDone = false;
  const slow = engine.rows("select sleep(2) as done").finally(() => {
    isSlowDone = true;
  });
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => engine.rows<{ n: number }>("select {n:UInt32} as n", { n })),
  );
  expect(isSlowDone).toBe(false);
  expect(answers.flat().map(({ n }) => n)).toEqual(Array.from({ length: 40 }, (_, n) => n));
  expect(await slow).toEqual([{ done: 0 }]);
});

test("a statement that fails says why, and leaves its session usable", async () => {
  for (let attempt = 0; attempt < 8; attempt++) {
    await expect(engine.rows("select no_such_column from numbers(1)")).rejects.toThrow(/no_such_column/);
    await expect(engine.command("drop table no_such_table")).rejects.toThrow(/no_such_table/);
  }
  expect(await engine.rows("select 1 as one")).toEqual([{ one: 1 }]);
});

test("a question that would take more memory than allowed fails instead of the process", async () => {
  const greedy = "select groupArray(repeat('x', 1000)) as list from numbers(10000000)";
  await expect(engine.rows(greedy)).rejects.toThrow(/memory/i);
});

test("closing waits for what is still being asked", async () => {
  const answer = engine.rows("select sleep(0.3) as done");
  await engine.close();
  expect(await answer).toEqual([{ done: 0 }]);
  engine = await open();
});

test("slow statements are told of, quick ones are not", async () => {
  const told: string[] = [];
  const watched = watchSlowQueries(engine, 200, (sql) => told.push(sql));
  await watched.rows("select 1");
  await watched.rows("select sleep(0.3)");
  expect(told).toEqual(["select sleep(0.3)"]);
});
