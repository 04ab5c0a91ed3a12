import { randomBytes } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { Sender } from "../../apps/server/src/testing/sender.js";
import { createTestDatabase, openQuietly } from "../../apps/server/src/testing/test-database.js";
import { openTestServer } from "../../apps/server/src/testing/test-server.js";
import { guideBlock } from "../guides/kit/guide-block.js";

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
