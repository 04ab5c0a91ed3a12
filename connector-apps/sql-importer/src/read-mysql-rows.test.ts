import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mysql from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { canTest, isInstalled } from "../../../testing/can-test.js";
import { freePort } from "../../../testing/free-port.js";
import { readRows } from "./read-rows.js";
import type { Row } from "./row-query.js";

const canTestMysql = canTest(
  isInstalled("mariadbd"),
  "Rows of MySQL are not tested: mariadbd is not installed. To test them, install it (apt install mariadb-server).",
);

describe.runIf(canTestMysql)("rows of MySQL", () => {
  let folder: string;
  let server: ChildProcess;
  let connectionString: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "mariadb-"));
    const port = await freePort();
    const shared = ["--no-defaults", `--datadir=${join(folder, "data")}`, "--user=root"];
    execFileSync("mariadb-install-db", [...shared, "--skip-test-db"], { stdio: "ignore" });
    const flags = [
      `--port=${port}`,
      "--bind-address=127.0.0.1",
      `--socket=${join(folder, "socket")}`,
      "--skip-grant-tables",
      "--skip-networking=0",
    ];
    server = spawn("mariadbd", [...shared, ...flags], { stdio: "ignore" });
    const root = `mysql://root@127.0.0.1:${port}`;
    const admin = await vi.waitFor(() => mysql.createConnection(root), { timeout: 30_000, interval: 100 });
    await admin.query("create database shop");
    await admin.query("create table shop.people (id int, name text, updated_at datetime(6))");
    await admin.query(
      "insert into shop.people values (1, 'why?', '2026-01-01 00:00:00.123456'), (2, ':last_value', '2026-01-02 00:00:00')",
    );
    await admin.end();
    connectionString = `${root}/shop`;
  }, 60_000);
  afterAll(async () => {
    server.kill();
    await once(server, "exit");
    await rm(folder, { recursive: true });
  });

  async function read(query: string, lastValue: string | null = null): Promise<Row[]> {
    const rows: Row[] = [];
    for await (const batch of readRows({ connectionString, query, lastValue })) rows.push(...batch);
    return rows;
  }

  it("contain times to the microsecond", async () => {
    expect(await read("select id, name, updated_at from people order by id;")).toEqual([
      { id: 1, name: "why?", updated_at: "2026-01-01 00:00:00.123456" },
      { id: 2, name: ":last_value", updated_at: "2026-01-02 00:00:00" },
    ]);
  });

  it("begin after the last value, wherever the query names it", async () => {
    const query = "select id from people where name <> 'no?' and (:last_value is null or updated_at > :last_value)";
    expect(await read(query)).toHaveLength(2);
    expect(await read(query, "2026-01-01 00:00:00.123456")).toEqual([{ id: 2 }]);
  });

  it("come in batches", async () => {
    const sizes: number[] = [];
    const query = "select seq as id from seq_1_to_1200";
    for await (const rows of readRows({ connectionString, query, lastValue: null })) sizes.push(rows.length);
    expect(sizes).toEqual([500, 500, 200]);
  });

  it.each([
    ["a table that is not there", "select * from nothing", /doesn't exist/],
    ["a statement that writes", "delete from people", /READ ONLY|read only/i],
    ["two statements", "select 1; drop table people", /error in your SQL syntax/],
  ])("are refused with the error of the database: %s", async (_case, query, reason) => {
    await expect(read(query)).rejects.toThrow(reason);
    expect(await read("select id from people")).toHaveLength(2);
  });

  it("of a server that cannot be reached are a transient failure", async () => {
    const unreachable = { connectionString: "mysql://root@127.0.0.1:1/x", query: "select 1", lastValue: null };
    await expect(readRows(unreachable).next()).rejects.toMatchObject({ name: "TransientError" });
  });
});
