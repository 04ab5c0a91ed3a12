import { runConnector, startFakePlatform } from "@muster/connector/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { itRefusesStrangers } from "../../testing/refuses-strangers.js";
import { setUpConnector } from "../../testing/set-up-connector.js";
import { setUpDatabase } from "../../testing/set-up-database.js";
import { createConnector } from "./create-connector.js";

const source = setUpDatabase();
beforeEach(async () => {
  await source.client.query(`
    drop table if exists customers;
    create table customers (id int, email text, plan text, mrr numeric, company text, updated_at timestamptz);
    insert into customers values
      (1, 'ada@example.com', 'pro', 99.5, 'example.com', '2026-01-01T00:00:00.123456Z'),
      (2, 'bo@example.com', null, 0, null, '2026-01-02T00:00:00Z')`);
});

const connector = setUpConnector(createConnector, () => ({
  connector: {
    private_settings: {
      connection_string: source.url,
      query: `select id as external_id, email, plan, mrr::float, company as account_domain, updated_at from customers
        where :last_value::timestamptz is null or updated_at > :last_value::timestamptz order by id;`,
      incremental_column: "updated_at",
    },
  },
}));

const entries = () => connector.platform.entries;

/** Runs an import as the schedule does, and waits for its result. */
async function sync(): Promise<unknown> {
  delete connector.settings.last_run;
  await connector.notify("ship:update");
  expect((await connector.call("/sync", { body: {} })).body).toEqual({ queued: true });
  return vi.waitFor(() => {
    expect(connector.settings).toHaveProperty("last_run");
    return connector.settings.last_run;
  }, 10_000);
}

describe("an import", () => {
  it("of users sets their attributes and links them to accounts", async () => {
    expect(await sync()).toMatchObject({ rows: 2, refused: 0 });
    expect(entries()).toMatchObject([
      {
        type: "traits",
        asUser: { external_id: "1", email: "ada@example.com" },
        asAccount: { domain: "example.com" },
        body: { plan: "pro", mrr: 99.5, updated_at: "2026-01-01T00:00:00.123Z" },
      },
      { asUser: { external_id: "2", email: "bo@example.com" }, body: { plan: null } },
    ]);
    expect(entries()[1]).not.toHaveProperty("asAccount");
  });

  it("continues after the last value of the run before, to the microsecond", async () => {
    await source.client.query("delete from customers where id = 2");
    await sync();
    expect(connector.settings.last_value).toBe("2026-01-01 00:00:00.123456+00");
    expect(await sync()).toMatchObject({ rows: 0 });
    await source.client.query("insert into customers (id, updated_at) values (3, '2026-01-01T00:00:00.123457Z')");
    expect(await sync()).toMatchObject({ rows: 1 });
    expect(entries().map(({ asUser }) => asUser?.external_id)).toEqual(["1", "3"]);
  });

  it("of accounts puts the group before the names of attributes", async () => {
    Object.assign(connector.settings, {
      import_as: "accounts",
      group: "shop",
      query: "select 'a.b' as domain, 5 as seats",
    });
    await sync();
    expect(entries()).toMatchObject([
      { subjectType: "account", asAccount: { domain: "a.b" }, body: { "shop/seats": 5 } },
    ]);
  });

  it("of events records each row as an event", async () => {
    const query =
      "select 'x@y.z' as email, 'Paid' as event, 7 as event_id, timestamp '2026-01-01' as created_at, 3 as n";
    Object.assign(connector.settings, { import_as: "events", query });
    await sync();
    expect(entries()[0]).toMatchObject({
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

  it("of many rows reads them in batches, and counts those without an identifier as refused", async () => {
    Object.assign(connector.settings, {
      incremental_column: "n",
      query: "select case when n = 7 then null else n end as external_id, n from generate_series(1, 1200) n",
    });
    expect(await sync()).toMatchObject({
      rows: 1_200,
      refused: 1,
      reason: expect.stringContaining("have no identifier"),
    });
    expect(entries()).toHaveLength(1_199);
    expect(connector.settings.last_value).toBe("1200");
    expect(await connector.status()).toMatchObject({ status: "warning" });
  });
});

describe("a long import", () => {
  // The import waits for the lock on its table.
  beforeEach(async () => {
    await source.client.query("begin");
    await source.client.query("lock table customers in access exclusive mode");
  });
  afterEach(() => source.client.query("rollback"));
  const isWaiting = () =>
    vi.waitFor(async () => {
      const sql = "select 1 from pg_locks where relation = 'customers'::regclass and not granted";
      expect(await source.rows(sql)).toHaveLength(1);
    }, 10_000);

  it("does not keep the schedule waiting, is shown in the status, and no second one runs beside it", async () => {
    expect((await connector.call("/sync", { body: {} })).body).toEqual({ queued: true });
    await isWaiting();
    expect((await connector.call("/sync", { body: {} })).body).toMatchObject({ skipped: expect.any(String) });
    expect((await connector.call("/run", { body: {} })).body).toMatchObject({ skipped: expect.any(String) });
    expect(await connector.status()).toEqual({
      status: "ok",
      messages: [expect.stringMatching(/^An import is running since \S+: 0 rows so far\.$/)],
    });
    await source.client.query("rollback");
    await vi.waitFor(() => expect(connector.settings).toMatchObject({ last_run: { rows: 2 } }), 10_000);
    expect(entries()).toHaveLength(2);
    expect(await connector.status()).toEqual({ status: "ok", messages: [] });
  });

  it("does not keep the imports of other connectors waiting", async () => {
    const other = await startFakePlatform({
      connector: { private_settings: { ...connector.settings, query: "select 7 as external_id" } },
    });
    const app = createConnector({
      port: 0,
      organizations: [connector.platform.url, other.url],
      clientConfig: { onLog: () => {} },
    });
    const running = await runConnector(app);
    await app.startWorker();
    await connector.platform.call(`${running.url}/sync`, { body: {} });
    await isWaiting();
    await other.call(`${running.url}/sync`, { body: {} });
    await vi.waitFor(() => expect(other.connector.private_settings).toMatchObject({ last_run: { rows: 1 } }), 10_000);
    await source.client.query("rollback");
    await running.close();
    await other.close();
  });

  it("is finished before the connector stops", async () => {
    const app = createConnector({
      port: 0,
      organizations: [connector.platform.url],
      clientConfig: { onLog: () => {} },
    });
    const running = await runConnector(app);
    await app.startWorker();
    await connector.platform.call(`${running.url}/sync`, { body: {} });
    await isWaiting();
    const closed = running.close();
    await source.client.query("rollback");
    await closed;
    expect(connector.settings).toMatchObject({ last_run: { rows: 2 } });
  });
});

describe("a failure", () => {
  it.each([
    ["a table that is not there", { query: "select * from nothing" }, /relation "nothing" does not exist/],
    [
      "a query that writes",
      { query: "with d as (delete from customers returning *) select * from d" },
      /data-modifying|read-only/,
    ],
    ["two statements", { query: "select 1; commit; drop table customers" }, /cannot insert multiple commands/],
    ["a database that is not there", { connection_string: "postgres://nobody:wrong@127.0.0.1:1/x" }, /ECONNREFUSED/],
  ])("is reported in the status: %s", async (_case, changed, reason) => {
    Object.assign(connector.settings, changed);
    expect(await sync()).toMatchObject({ error: expect.stringMatching(reason) });
    expect(await connector.status()).toMatchObject({ status: "error", messages: [expect.stringMatching(reason)] });
    expect(await source.rows("select count(*)::int as n from customers")).toEqual([{ n: 2 }]);
    expect(connector.settings).not.toHaveProperty("last_value");
  });

  it("asks for the missing setting in the status", async () => {
    expect(await connector.statusWith({})).toEqual({
      status: "setupRequired",
      messages: ["Give the address of the database."],
    });
    // Another status than "setupRequired" opens the rest of the form.
    expect(await connector.statusWith({ connection_string: "postgres://db.example.com/x" })).toEqual({
      status: "warning",
      messages: ["Give the query to import from."],
    });
  });
});

describe("the preview", () => {
  it("shows the first rows and imports nothing", async () => {
    const query = "select n as external_id from generate_series(1, 50) n";
    const { body } = await connector.call("/preview", { body: { query } });
    expect(body).toMatchObject({ columns: ["external_id"], rows: { length: 10, 0: { external_id: 1 } } });
    expect(entries()).toEqual([]);
  });

  it("answers with the error of the database", async () => {
    const { status, body } = await connector.call("/preview", { body: { query: "selec 1" } });
    expect([status, body]).toEqual([503, expect.objectContaining({ error: expect.stringContaining("syntax error") })]);
  });
});

itRefusesStrangers(connector);
