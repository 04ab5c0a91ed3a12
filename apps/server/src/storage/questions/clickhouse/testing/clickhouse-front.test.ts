import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ClickHouseFront } from "../../../../../../../testing/clickhouse/clickhouse-front.js";
import { isClickhouse } from "../../../../testing/is-clickhouse.js";

describe.runIf(isClickhouse)("the ClickHouse server of tests", () => {
  let folder: string;
  let front: ClickHouseFront;
  let clients: [ClickHouseClient, ClickHouseClient];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "muster-front-"));
    const chdbFolder = process.env.MUSTER_TEST_CHDB ?? "";
    front = await ClickHouseFront.open({ chdbFolder, dataDir: join(folder, "data") });
    const open = () =>
      createClient({ url: front.url, use_multipart_params_auto: true, log: { level: ClickHouseLogLevel.OFF } });
    clients = [open(), open()];
  });
  afterAll(async () => {
    for (const client of clients) await client.close();
    await front.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  async function rows(client: ClickHouseClient, query: string, params = {}, settings = {}): Promise<unknown[]> {
    const answer = await client.query({
      query,
      query_params: params,
      clickhouse_settings: settings,
      format: "JSONEachRow",
    });
    return answer.json();
  }

  test("takes parameters in the URL and, if they are long, in a form", async () => {
    const hostile = `'); drop table x; -- \\ \n\t"`;
    const query = "select {text:String} as text, length({list:Array(String)}) as count";
    for (const count of [2, 20_000]) {
      const list = Array.from({ length: count }, (_, index) => `it's ${index}`);
      expect(await rows(clients[0], query, { text: hostile, list })).toEqual([{ text: hostile, count }]);
    }
  });

  test("keeps a setting for one statement alone", async () => {
    const query = "select toUInt64(1) as n";
    const quoted = { output_format_json_quote_64bit_integers: 1 };
    expect(await rows(clients[0], query, {}, quoted)).toEqual([{ n: "1" }]);
    for (let statement = 0; statement < 10; statement++) expect(await rows(clients[0], query)).toEqual([{ n: 1 }]);
  });

  test("answers errors with their code, and has one database", async () => {
    await expect(rows(clients[0], "select nothing from numbers(1)")).rejects.toMatchObject({
      code: "47",
      type: "UNKNOWN_IDENTIFIER",
    });
    const elsewhere = createClient({ url: `${front.url}/elsewhere` });
    await expect(rows(elsewhere, "select 1")).rejects.toMatchObject({ code: "81" });
    await elsewhere.close();
  });

  test("serves several clients at once, more than it has sessions", async () => {
    const counts = Array.from({ length: 40 }, (_, index) => index);
    const asked = counts.map((n) => rows(clients[n % 2] ?? clients[0], "select {n:UInt32} as n, sleep(0.01)", { n }));
    expect(await Promise.all(asked)).toMatchObject(counts.map((n) => [{ n }]));
  });

  test("has what was acknowledged after kill -9 and a restart", async () => {
    const [one, other] = clients;
    await one.command({ query: "create table kept (id UInt32) engine = MergeTree order by id" });
    await one.command({ query: "insert into kept format TabSeparated\n1\n2\n" });
    await front.kill();
    expect(await other.ping()).toMatchObject({ success: false });
    await front.start();
    expect(await rows(other, "select id from kept order by id")).toEqual([{ id: 1 }, { id: 2 }]);
  });
});
