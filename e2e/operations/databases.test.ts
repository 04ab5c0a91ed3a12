// @module-tag long
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { Sender } from "../../apps/server/src/testing/sender.js";
import { createTestDatabase, databaseUrl, openQuietly } from "../../apps/server/src/testing/test-database.js";
import { ADMIN_TOKEN, openTestServer } from "../../apps/server/src/testing/test-server.js";
import { canTest } from "../../testing/can-test.js";
import { HAS_NATS, NO_NATS, startNats } from "../../testing/start-nats.js";
import { guideBlock } from "../guides/kit/guide-block.js";
import { REPOSITORY } from "../support/muster-process.js";

test("a server starts with the role and the database that the page creates in PostgreSQL", async () => {
  const serverUrl = inject("postgresUrl");
  const admin = openQuietly(serverUrl);
  const name = `muster_${randomBytes(6).toString("hex")}`;
  onTestFinished(async () => {
    await admin.query(`drop database if exists ${name} with (force)`);
    await admin.query(`drop role if exists ${name}`);
    await admin.close();
  });
  // A database is not created in a transaction, which several statements in one call would be.
  for (const statement of guideBlock("docs/operations/databases.md", "create-postgresql")
    .replaceAll(/\bmuster\b/g, name)
    .split(";")) {
    if (statement.trim() !== "") await admin.query(statement);
  }
  const own = new URL(databaseUrl(serverUrl, name));
  own.username = name;
  own.password = "password";
  const server = await openTestServer({ DATABASE_URL: own.href });
  onTestFinished(() => server.close());
  const sender = new Sender(server);
  await sender.settle([sender.traits({ user: { external_id: "1" } }, { plan: "pro" })]);
  const { rows } = await server.database.query<{ extname: string }>("select extname from pg_extension");
  expect(rows).toEqual([{ extname: "plpgsql" }]);
});

test.runIf(canTest(HAS_NATS, NO_NATS))("an ingestion log is in NATS with the account of the page", async () => {
  // The disk of the test may be small.
  const configuration = guideBlock("docs/operations/databases.md", "create-nats").replace("10GB", "100MB");
  const nats = await startNats({ configuration });
  onTestFinished(() => nats.close());
  const server = await openTestServer({ NATS_URL: nats.url.replace("nats://", "nats://muster:password@") });
  onTestFinished(() => server.close());
  const sender = new Sender(server);
  await sender.settle([sender.traits({ user: { external_id: "1" } }, { plan: "pro" })]);
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const log = await server.app.inject({ url: "/api/v1/ingestion/log", headers });
  expect(log.json()).toMatchObject({ log: "nats", state: "present" });
});

test("the page creates in ClickHouse what the compose file and the settings of several machines use", async () => {
  const statements = guideBlock("docs/operations/databases.md", "create-clickhouse");
  const used = ["compose.engines.yaml", "docs/operations/several-machines.md"];
  for (const file of used) {
    const text = await readFile(join(REPOSITORY, file), "utf8");
    const [, user, database] = /CLICKHOUSE_URL[:=] ?http:\/\/(\w+):[^@]+@[\w.]+:8123\/(\w+)/.exec(text) ?? [];
    expect(statements, file).toContain(`create database ${database};`);
    expect(statements, file).toContain(`create user ${user} identified by`);
    expect(statements, file).toContain(`grant all on ${database}.* to ${user};`);
  }
});

test("a server works as a role that cannot change the schema, also when it needs new partitions", async () => {
  const url = await createTestDatabase();
  const owner = openQuietly(url);
  const role = `app_${randomBytes(6).toString("hex")}`;
  const password = randomBytes(12).toString("hex");
  await owner.query(`create role ${role} login password '${password}'`);
  onTestFinished(async () => {
    await owner.query(`drop owned by ${role}`);
    await owner.query(`drop role ${role}`);
    await owner.close();
  });
  await owner.query(guideBlock("docs/operations/running.md", "few-rights").replaceAll(/\bapp\b/g, role));
  // The first start must create today's partition, because this one is gone.
  const { rows } = await owner.query<{ name: string }>("select to_char(now(), 'YYYYMMDD') as name");
  await owner.query(`drop table if exists ingest_log_${rows[0]?.name}`);
  const own = new URL(url);
  own.username = role;
  own.password = password;
  const server = await openTestServer({ DATABASE_URL: own.href });
  onTestFinished(() => server.close());
  const sender = new Sender(server);
  await sender.settle([sender.traits({ user: { external_id: "1" } }, { plan: "pro" })]);
  const answer = await sender.call("POST", "/search/user_reports", { payload: { query: { match_all: {} } } });
  expect(answer.json().pagination.total).toBe(1);
  await expect(server.database.query("create table mine (id int)")).rejects.toThrow("permission denied");
  await expect(server.database.query("drop table users")).rejects.toThrow("must be owner");
});

test("a server whose role may not change the schema says what to run when a migration is pending", async () => {
  const url = await createTestDatabase();
  const owner = openQuietly(url);
  const role = `app_${randomBytes(6).toString("hex")}`;
  await owner.query(`create role ${role} login password 'x'`);
  onTestFinished(async () => {
    await owner.query(`drop owned by ${role}`);
    await owner.query(`drop role ${role}`);
    await owner.close();
  });
  await owner.query(guideBlock("docs/operations/running.md", "few-rights").replaceAll(/\bapp\b/g, role));
  await owner.query("delete from migrations where name like '0036%'");
  const own = new URL(url);
  own.username = role;
  own.password = "x";
  await expect(openTestServer({ DATABASE_URL: own.href })).rejects.toThrow(/may not change the schema.*--migrate-only/);
});
