// @module-tag long
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { QuestionTimeout } from "../../question-timeout.js";
import { Engine } from "./engine.js";

const SLOW = "select count(*) as count from range(100000000000) t(n) where n % 7 = 3";

let folder: string;
let engine: Engine;
const slow: string[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-engine-"));
  slow.length = 0;
  engine = await Engine.open({
    memoryBytes: 128 * 1024 * 1024,
    threads: 2,
    reservedBytes: 0,
    spillFolder: join(folder, "a path with spaces"),
    timeLimitMs: 500,
    slowQueryMs: 200,
    onSlow: (sql) => slow.push(sql),
  });
});

afterEach(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

const ask = (sql: string, params: Parameters<Engine["rows"]>[0]["params"] = {}) => engine.rows({ sql, params });

test("values are sent as parameters and never read as SQL", async () => {
  const hostile = `'); drop table x; -- \\ \n\t"`;
  const params = {
    text: { type: "text", value: hostile },
    list: { type: "text", value: [hostile, "ä👍"] },
    none: { type: "text", value: [] },
    number: { type: "number", value: 0.1 },
    key: { type: "integer", value: -(2n ** 63n) },
    unused: { type: "text", value: "nobody asks" },
  } as const;
  expect(
    await ask("select $text as text, $list as list, $none as none, $number as number, $key as key", params),
  ).toEqual([{ text: hostile, list: [hostile, "ä👍"], none: [], number: 0.1, key: -(2n ** 63n) }]);
});

test("a question that takes too long is ended with an error, and its connection stays usable", async () => {
  for (let attempt = 0; attempt < 10; attempt++) {
    const late = ask(SLOW);
    await expect(late).rejects.toThrow(QuestionTimeout);
    if (attempt === 0) await expect(ask(SLOW)).rejects.toThrow("longer than 0.5 seconds");
  }
  expect(await ask("select 1 as one")).toEqual([{ one: 1 }]);
  expect(slow[0]).toBe(SLOW);
}, 30_000);

test("an aborted question ends with the reason of the signal", async () => {
  const caller = new AbortController();
  const asked = engine.rows({ sql: SLOW, params: {} }, { signal: caller.signal });
  // The engine has no event for a question that has begun, so the caller leaves after a moment. A question that has not
  // begun by then must end in the same way.
  setTimeout(() => caller.abort(new Error("The caller has gone.")), 50);
  await expect(asked).rejects.toThrow("The caller has gone.");
  const gone = engine.rows({ sql: "select 1", params: {} }, { signal: caller.signal });
  await expect(gone).rejects.toThrow("The caller has gone.");
});

test("more questions than connections are all answered", async () => {
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) => ask("select $n as n", { n: { type: "number", value: n } })),
  );
  expect(answers.flat()).toEqual(Array.from({ length: 60 }, (_, n) => ({ n })));
});

test("a question that needs too much memory fails, and the process continues", async () => {
  await engine.run("set global max_temp_directory_size = '10MB'");
  const greedy = "select len(list(n || repeat('x', 1000))) as length from range(2000000) t(n)";
  await expect(ask(greedy)).rejects.toThrow(/memory|longer than/i);
  expect(await ask("select 1 as one")).toEqual([{ one: 1 }]);
}, 30_000);

test("a copy writes a file and returns the number of its rows", async () => {
  const path = join(folder, "rows.csv");
  const params = { least: { type: "integer", value: 3 } } as const;
  const sql = `copy (select n from range(6) t(n) where n >= $least) to '${path}' (format csv, header false)`;
  expect(await engine.copy({ sql, params })).toBe(3);
  expect((await readFile(path, "utf8")).split("\n").sort()).toEqual(["", "3", "4", "5"]);
});

test("dates without a zone are read as UTC, whatever the time zone of the server", async () => {
  expect(await ask("select epoch_ms('2024-01-01'::timestamptz) as ms")).toEqual([{ ms: 1_704_067_200_000n }]);
});
