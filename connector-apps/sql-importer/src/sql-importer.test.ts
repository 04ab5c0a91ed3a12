import { randomBytes } from "node:crypto";
import { type FakePlatform, type RunningConnector, runConnector, startFakePlatform } from "@muster/connector/testing";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { createConnector } from "./create-connector.js";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

/** A database of its own on the server that the test run shares. */
const database = `importer_${randomBytes(4).toString("hex")}`;
const connectionString = Object.assign(new URL(inject("postgresUrl")), { pathname: `/${database}` }).href;
let admin: pg.Client;
let source: pg.Client;
beforeAll(async () => {
  admin = new pg.Client(inject("postgresUrl"));
  await admin.connect();
  await admin.query(`create database ${database}`);
  source = new pg.Client(connectionString);
  await source.connect();
});
afterAll(async () => {
  await source.end();
  await admin.query(`drop database ${database} with (force)`);
  await admin.end();
});

let platform: FakePlatform;
let running: RunningConnector;
beforeEach(async () => {
  await source.query(`
    drop table if exists customers;
    create table customers (id int, email text, plan text, mrr numeric, company text, updated_at timestamptz);
    insert into customers values
      (1, 'ada@example.com', 'pro', 99.5, 'example.com', '2026-01-01T00:00:00.123456Z'),
      (2, 'bo@example.com', null, 0, null, '2026-01-02T00:00:00Z')`);
  platform = await startFakePlatform({
    connector: {
      private_settings: {
        connection_string: connectionString,
        query: `select id as external_id, email, plan, mrr::float, company as account_domain, updated_at from customers
          where :last_value::timestamptz is null or updated_at > :last_value::timestamptz order by id;`,
        incremental_column: "updated_at",
      },
    },
  });
  running = await runConnector(createConnector({ port: 0, clientConfig: { onLog: () => {} } }));
});
afterEach(async () => {
  await running.close();
  await platform.close();
});

const settings = () => platform.connector.private_settings;

/** Runs an import as the schedule does, and waits for how it went. */
async function sync(): Promise<unknown> {
  delete settings().last_run;
  await platform.notify(`${running.url}/smart-notifier`, { channel: "ship:update", messages: [] });
  expect((await platform.call(`${running.url}/sync`, { body: {} })).body).toEqual({ ok: true });
  return vi.waitFor(() => {
    expect(settings()).toHaveProperty("last_run");
    return settings().last_run;
  }, 10_000);
}

describe("an import", () => {
  it("of users sets their attributes and links them to accounts", async () => {
    expect(await sync()).toMatchObject({ rows: 2, refused: 0 });
    expect(platform.entries).toMatchObject([
      {
        type: "traits",
        asUser: { external_id: "1", email: "ada@example.com" },
        asAccount: { domain: "example.com" },
        body: { plan: "pro", mrr: 99.5, updated_at: "2026-01-01T00:00:00.123Z" },
      },
      { asUser: { external_id: "2", email: "bo@example.com" }, body: { plan: null } },
    ]);
    expect(platform.entries[1]).not.toHaveProperty("asAccount");
  });

  it("continues where the last one ended, to the microsecond", async () => {
    await source.query("delete from customers where id = 2");
    await sync();
    expect(settings().last_value).toBe("2026-01-01 00:00:00.123456+00");
    expect(await sync()).toMatchObject({ rows: 0 });
    await source.query("insert into customers (id, updated_at) values (3, '2026-01-01T00:00:00.123457Z')");
    expect(await sync()).toMatchObject({ rows: 1 });
    expect(platform.entries.map(({ asUser }) => asUser?.external_id)).toEqual(["1", "3"]);
  });

  it("of accounts, in a group", async () => {
    Object.assign(settings(), { import_as: "accounts", group: "shop", query: "select 'a.b' as domain, 5 as seats" });
    await sync();
    expect(platform.entries).toMatchObject([
      { subjectType: "account", asAccount: { domain: "a.b" }, body: { "shop/seats": 5 } },
    ]);
  });

  it("of events", async () => {
    const query =
      "select 'x@y.z' as email, 'Paid' as event, 7 as event_id, timestamp '2026-01-01' as created_at, 3 as n";
    Object.assign(settings(), { import_as: "events", query });
    await sync();
    expect(platform.entries[0]).toMatchObject({
      type: "track",
      asUser: { email: "x@y.z" },
      body: {
        event: "Paid",
        event_id: "7",
        created_at: "2026-01-01T00:00:00.000Z",
        properties: { n: 3 },
        source: "sql",
      },
    });
  });

  it("of many rows comes through in batches, and counts those that name nobody", async () => {
    Object.assign(settings(), {
      incremental_column: "n",
      query: "select case when n = 7 then null else n end as external_id, n from generate_series(1, 1200) n",
    });
    expect(await sync()).toMatchObject({ rows: 1_200, refused: 1, reason: expect.stringContaining("name nobody") });
    expect(platform.entries).toHaveLength(1_199);
    expect(settings().last_value).toBe("1200");
    const { body } = await platform.call(`${running.url}/status`, { body: {} });
    expect(body).toMatchObject({ status: "warning" });
  });
});

describe("what cannot work", () => {
  it.each([
    ["a table that is not there", { query: "select * from nothing" }, /relation "nothing" does not exist/],
    [
      "a query that writes",
      { query: "with d as (delete from customers returning *) select * from d" },
      /data-modifying|read-only/,
    ],
    ["two statements", { query: "select 1; commit; drop table customers" }, /cannot insert multiple commands/],
    ["a database that is not there", { connection_string: "postgres://nobody:wrong@127.0.0.1:1/x" }, /ECONNREFUSED/],
  ])("is said in the status: %s", async (_case, changed, reason) => {
    Object.assign(settings(), changed);
    expect(await sync()).toMatchObject({ error: expect.stringMatching(reason) });
    const { body } = await platform.call(`${running.url}/status`, { body: {} });
    expect(body).toMatchObject({ status: "error", messages: [expect.stringMatching(reason)] });
    expect((await source.query("select count(*)::int as n from customers")).rows).toEqual([{ n: 2 }]);
    expect(settings()).not.toHaveProperty("last_value");
  });

  it("is a missing setting, until it is given", async () => {
    platform.connector.private_settings = {};
    const { body } = await platform.call(`${running.url}/status`, { body: {} });
    expect(body).toEqual({ status: "setupRequired", messages: ["Give the address of the database."] });
  });
});

describe("the preview", () => {
  it("shows the first rows and imports nothing", async () => {
    const query = "select n as external_id from generate_series(1, 50) n";
    const { body } = await platform.call(`${running.url}/preview`, { body: { query } });
    expect(body).toMatchObject({ columns: ["external_id"], rows: { length: 10, 0: { external_id: 1 } } });
    expect(platform.entries).toEqual([]);
  });

  it("says what the database says", async () => {
    const { status, body } = await platform.call(`${running.url}/preview`, { body: { query: "selec 1" } });
    expect([status, body]).toEqual([503, expect.objectContaining({ error: expect.stringContaining("syntax error") })]);
  });
});
