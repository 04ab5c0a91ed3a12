import { accountMessage, segmentRecord, userMessage } from "@muster/connector/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { orderPlaced } from "../../testing/order-placed.js";
import { itRefusesStrangers } from "../../testing/refuses-strangers.js";
import { setUpConnector } from "../../testing/set-up-connector.js";
import { setUpDatabase } from "../../testing/set-up-database.js";
import { createConnector } from "./create-connector.js";
import { Databases } from "./databases.js";

const target = setUpDatabase();
const { rows } = target;

const customers = segmentRecord({ id: "0198c2a4f1d020a1b2c3d4e5", name: "Customers" });
const leads = segmentRecord({ id: "0198c2a4f1d020a1b2c3d4e6", name: "Leads" });
const big = segmentRecord({ id: "0198c2a4f1d021a1b2c3d4e5", name: "Big", type: "accounts_segment" });
const user = {
  id: "u1",
  external_id: "1",
  email: "ada@example.com",
  traits_plan: "pro",
  updated_at: "2026-01-02T00:00:00.000Z",
};
const event = orderPlaced("u1");

let databases: Databases;
beforeEach(async () => {
  await target.client.query("drop schema if exists muster cascade");
  databases = new Databases();
});
afterEach(() => databases.close());
const connector = setUpConnector(
  (options) => createConnector(options, databases),
  () => ({
    connector: { private_settings: { connection_string: target.url } },
    segments: [customers, leads],
    accountsSegments: [big],
  }),
);
const { notify, statusWith } = connector;

describe("an update", () => {
  it("writes a user with all attributes, events, segments and memberships", async () => {
    const message = userMessage({ user, account: { id: "a1" }, events: [event], segments: [customers] });
    expect((await notify("user:update", message)).status).toBe(200);
    expect(await rows("select id, external_id, email, account_id, attributes from muster.users")).toEqual([
      { id: "u1", external_id: "1", email: "ada@example.com", account_id: "a1", attributes: user },
    ]);
    expect(await rows("select event, source, type, properties, created_at from muster.events")).toEqual([
      {
        event: "Order placed",
        source: "shop",
        type: "track",
        properties: { total: 120 },
        created_at: new Date(event.created_at),
      },
    ]);
    expect(await rows("select name, type from muster.segments order by name")).toEqual([
      { name: "Big", type: "accounts_segment" },
      { name: "Customers", type: "users_segment" },
      { name: "Leads", type: "users_segment" },
    ]);
    expect(await rows("select user_id, segment_id from muster.user_segments")).toEqual([
      { user_id: "u1", segment_id: customers.id },
    ]);
  });

  it("writes an account and its memberships", async () => {
    const account = { id: "a1", domain: "example.com", name: "Example", employees: 120 };
    await notify("account:update", accountMessage({ account, account_segments: [big] }));
    expect(await rows("select id, domain, name, attributes from muster.accounts")).toEqual([
      { id: "a1", domain: "example.com", name: "Example", attributes: account },
    ]);
    expect(await rows("select account_id, segment_id from muster.account_segments")).toEqual([
      { account_id: "a1", segment_id: big.id },
    ]);
  });

  it("replaces the row, and changes nothing when it arrives twice or after a newer one", async () => {
    const first = userMessage({ user, events: [event], segments: [customers] });
    const second = userMessage({
      user: { ...user, traits_plan: "free", updated_at: "2026-01-03T00:00:00.000Z" },
      segments: [leads],
    });
    await notify("user:update", first, second);
    await notify("user:update", second);
    const state = () =>
      rows(
        "select attributes->>'traits_plan' as plan, segment_id from muster.users join muster.user_segments on user_id = id",
      );
    expect(await state()).toEqual([{ plan: "free", segment_id: leads.id }]);
    await notify("user:update", userMessage({ user, events: [event], segments: [customers] }));
    expect(await state()).toEqual([{ plan: "free", segment_id: leads.id }]);
    expect(await rows("select count(*)::int as events from muster.events")).toEqual([{ events: 1 }]);
  });

  it("writes only users in the chosen segments, and no events when events are switched off", async () => {
    Object.assign(connector.settings, { user_segments: [customers.id], export_events: false });
    await notify(
      "user:update",
      userMessage({ user, events: [event], segments: [customers] }),
      userMessage({ user: { id: "u2" }, segments: [leads] }),
    );
    expect(await rows("select id from muster.users")).toEqual([{ id: "u1" }]);
    expect(await rows("select * from muster.events")).toEqual([]);
  });

  it("writes every user of a batch", async () => {
    const file = connector.platform.serve(
      [user, { id: "u2", segment_ids: [leads.id] }].map((each) => JSON.stringify(each)).join("\n"),
    );
    await connector.call("/batch", { body: { url: file, format: "json", object_type: "user_report" } });
    await vi.waitFor(async () =>
      expect(await rows("select id from muster.users order by id")).toEqual([{ id: "u1" }, { id: "u2" }]),
    );
    expect(await rows("select user_id from muster.user_segments")).toEqual([{ user_id: "u2" }]);
  });

  it("writes any text, without NUL characters", async () => {
    const name = "O'Brien\\u0000 \u0000 \"; drop table users; -- 🚢";
    await notify("user:update", userMessage({ user: { ...user, name } }));
    expect(await rows("select attributes->>'name' as name from muster.users")).toEqual([
      { name: name.replace("\u0000", "") },
    ]);
  });
});

describe("a deletion", () => {
  it("deletes users and accounts with their events and memberships", async () => {
    await notify("user:update", userMessage({ user, events: [event], segments: [customers] }));
    await notify("account:update", accountMessage({ account: { id: "a1" }, account_segments: [big] }));
    await notify("user:delete", { message_id: "m", user: { id: "u1" } });
    await notify("account:delete", { message_id: "m", account: { id: "a1" } });
    for (const table of ["users", "events", "user_segments", "accounts", "account_segments"]) {
      expect(await rows(`select * from muster.${table}`)).toEqual([]);
    }
  });

  it("deletes a segment with its memberships, while a renamed segment keeps them", async () => {
    await notify("user:update", userMessage({ user, segments: [customers, leads] }));
    await notify("users_segment:update", { ...customers, name: "Buyers" });
    await notify("users_segment:delete", leads);
    expect(await rows("select name from muster.segments where type = 'users_segment'")).toEqual([{ name: "Buyers" }]);
    expect(await rows("select segment_id from muster.user_segments")).toEqual([{ segment_id: customers.id }]);
  });
});

describe("a failure", () => {
  it("is reported in the status", async () => {
    expect(await statusWith({})).toEqual({ status: "setupRequired", messages: ["Give the address of the database."] });
    expect(await statusWith({ connection_string: target.url, schema: "a; drop" })).toMatchObject({ status: "error" });
    expect(await statusWith({ connection_string: "postgres://x@127.0.0.1:1/x" })).toMatchObject({
      status: "error",
      messages: [expect.stringContaining("ECONNREFUSED")],
    });
    expect(await statusWith({ connection_string: target.url })).toEqual({ status: "ok", messages: [] });
  });

  it("asks for the notification again, and writes no part of it", async () => {
    await notify("user:update", userMessage({ user }));
    await target.client.query("drop table muster.events");
    const answer = await notify(
      "user:update",
      userMessage({ user: { ...user, email: "new@example.com" }, events: [event] }),
    );
    expect(answer).toMatchObject({ status: 503, body: { flow_control: { type: "retry" } } });
    expect(await rows("select email from muster.users")).toEqual([{ email: "ada@example.com" }]);
  });
});

itRefusesStrangers(connector);
