import { ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../../../../../../testing/free-port.js";
import { isClickhouse } from "../../../../testing/is-clickhouse.js";
import { QuestionTimeout } from "../../question-timeout.js";
import { openChdbClient } from "../testing/open-chdb.js";
import { Statements } from "./statements.js";

const ENDLESS = "select count(cityHash64(number)) as count from numbers(1000000000000)";

test("statements for a server that does not answer are refused as unavailable", async () => {
  const client = createClient({
    url: `http://127.0.0.1:${await freePort()}`,
    log: { level: ClickHouseLogLevel.OFF },
  });
  const statements = new Statements(client, {});
  const refused = { name: "Refusal", code: "unavailable", message: "The question engine does not answer." };
  await expect(statements.rows("select 1")).rejects.toMatchObject(refused);
  await expect(statements.run("select 1")).rejects.toMatchObject(refused);
  const streaming = async () => {
    for await (const _ of statements.stream("select 1", {}, "CSV"));
  };
  await expect(streaming()).rejects.toMatchObject(refused);
  await statements.close();
});

describe.runIf(isClickhouse)("statements", () => {
  let client: Awaited<ReturnType<typeof openChdbClient>>;
  let statements: Statements;
  const reported: string[] = [];
  beforeAll(async () => {
    client = await openChdbClient();
    const onSlow = (sql: string) => reported.push(sql);
    statements = new Statements(client, { timeLimitMs: 300, slowQueryMs: 100, onSlow });
  });
  afterAll(() => statements.close());

  test("return rows, and their parameters are never read as SQL", async () => {
    const hostile = `'); drop table x; -- \\ \n\t"`;
    expect(
      await statements.rows(
        "select {text:String} as text, {list:Array(String)} as list, {n:Int64} as n, null as nothing",
        {
          text: hostile,
          list: [hostile, "ä👍"],
          n: 2 ** 53 - 1,
        },
      ),
    ).toEqual([{ text: hostile, list: [hostile, "ä👍"], n: 2 ** 53 - 1, nothing: null }]);
    expect(await statements.rows("select 1 where 0")).toEqual([]);
  });

  test("receive compiled parameters of every type without loss of precision", async () => {
    const params = {
      p0: { type: "text", value: "a'b\\c" },
      p1: { type: "number", value: 0.1 },
      p2: { type: "integer", value: 2n ** 62n },
      p3: { type: "boolean", value: false },
      p4: { type: "id", value: ["0123456789abcdef01234567"] },
      p5: { type: "number", value: [1e21, -0.5] },
      p6: { type: "text", value: ["a'b", "c,d", ""] },
      p7: { type: "text", value: [] },
    } as const;
    const sql = `select {p0:String} as text, {p1:Float64} as number, toString({p2:Int64}) as integer, {p3:Bool} as boolean,
      {p4:Array(FixedString(24))} as ids, {p5:Array(Float64)} as numbers, {p6:Array(String)} as texts, {p7:Array(String)} as none`;
    expect(await statements.ask({ sql, params })).toEqual([
      {
        text: "a'b\\c",
        number: 0.1,
        integer: String(2n ** 62n),
        boolean: false,
        ids: ["0123456789abcdef01234567"],
        numbers: [1e21, -0.5],
        texts: ["a'b", "c,d", ""],
        none: [],
      },
    ]);
  });

  test("with a time limit are ended at the limit", async () => {
    await expect(statements.rows(ENDLESS, {}, { isLimited: true })).rejects.toThrow(QuestionTimeout);
    await client.command({ query: "set max_execution_time = 0" });
    expect(await statements.rows("select sleep(0.4) as done")).toEqual([{ done: 0 }]);
  });

  test("that are aborted end with the reason of the signal", async () => {
    const reason = new Error("nobody waits");
    const controller = new AbortController();
    const asked = statements.rows("select sleep(0.5)", {}, { signal: controller.signal });
    controller.abort(reason);
    await expect(asked).rejects.toBe(reason);
    await expect(statements.rows("select 1", {}, { signal: controller.signal })).rejects.toBe(reason);
  });

  test("that fail throw an error with the reason", async () => {
    await expect(statements.rows("select no_such_column from numbers(1)")).rejects.toThrow(/no_such_column/);
    await expect(statements.run("drop table no_such_table")).rejects.toThrow(/no_such_table/);
  });

  test("that are slow are reported, without the rows of an insert", async () => {
    reported.length = 0;
    await statements.run("create table slow (id UInt32, name String) engine = Memory");
    await statements.rows("select 1");
    await statements.rows("select sleep(0.2)");
    await statements.run(`insert into slow select number, sleepEachRow(0.1) from numbers(3)\n -- Ann`);
    expect(reported).toEqual([
      "select sleep(0.2)",
      "insert into slow select number, sleepEachRow(0.1) from numbers(3)",
    ]);
  });

  test("stream long answers", async () => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of statements.stream("select number from numbers({n:UInt32})", { n: 200_000 }, "TSVRaw")) {
      chunks.push(chunk);
    }
    expect(Buffer.concat(chunks).toString().trimEnd().split("\n")).toHaveLength(200_000);
  });
});
