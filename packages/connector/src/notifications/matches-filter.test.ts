import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Connector } from "../connector.js";
import type { ConnectorOptions } from "../connector-options.js";
import {
  accountMessage,
  type FakePlatform,
  type Notice,
  type RunningConnector,
  runConnector,
  segmentRecord,
  startFakePlatform,
  userMessage,
} from "../testing/index.js";
import type { NotificationOptions } from "./notification-options.js";
import { standardEventsOf } from "./standard-events-of.js";

const manifest = { name: "Test", version: "1.0.0", settings_sections: [] };
const customers = segmentRecord({ id: "0198c2a4f1d020a1b2c3d4e5", name: "Customers" });
const leads = segmentRecord({ id: "0198c2a4f1d020a1b2c3d4e6", name: "Leads" });
const big = segmentRecord({ id: "0198c2a4f1d021a1b2c3d4e5", type: "accounts_segment" });

let platform: FakePlatform;
let running: RunningConnector | undefined;
beforeEach(async () => {
  platform = await startFakePlatform();
});
afterEach(async () => {
  await running?.close();
  await platform.close();
});

/** What `matchesFilter` is in the messages that the handler gets. */
async function matches(notice: Notice, options: NotificationOptions, more: ConnectorOptions = {}): Promise<boolean[]> {
  const seen: boolean[] = [];
  const note = (_ctx: unknown, messages: { matchesFilter: boolean }[]) =>
    void seen.push(...messages.map(({ matchesFilter }) => matchesFilter));
  const organizations = [platform.url];
  const connector = new Connector({ manifest, port: 0, organizations, clientConfig: { onLog: () => {} }, ...more });
  const handlers = { "user:update": note, "account:update": note };
  running = await runConnector(connector, (app) =>
    app.use("/notify", connector.notificationHandler(handlers, options)),
  );
  await platform.notify(`${running.url}/notify`, notice);
  await running.close();
  return seen;
}

describe("a user", () => {
  const notice: Notice = {
    channel: "user:update",
    messages: [userMessage({ user: { id: "1", email: "ada@example.com" }, segments: [customers] })],
  };

  it.each([
    ["a segment of the list", [customers.id], true],
    ["none of its segments listed", [leads.id], false],
    ["an empty list", [], false],
    ["everybody wanted", ["ALL"], true],
    ["one segment in place of a list", customers.id, true],
    ["the identified wanted", ["IDENTIFIED"], true],
    ["the anonymous wanted", [leads.id, "ANONYMOUS"], false],
    ["no list at all", undefined, false],
  ])("matches the filter or not: %s", async (_case, wanted, expected) => {
    platform.connector.private_settings = wanted === undefined ? {} : { synchronized: wanted };
    expect([
      await matches(notice, { filter: { user_segments: "synchronized" } }),
      await matches(notice, { filter: { user_segments: "private_settings.synchronized" } }),
      await matches(notice, { segmentFilterSetting: "synchronized" }),
      await matches(notice, {}, { segmentFilterSetting: "synchronized" }),
    ]).toEqual([[expected], [expected], [expected], [expected]]);
  });

  it("who has just left the segments does not match", async () => {
    platform.connector.private_settings = { synchronized: [leads.id] };
    const left = userMessage({ changes: { segments: { entered: [], left: [leads] } } });
    const sent = { channel: "user:update", messages: [left] };
    expect(await matches(sent, { segmentFilterSetting: "synchronized" })).toEqual([false]);
  });

  it("matches by the segments of the account as well, when the filter names both", async () => {
    platform.connector.private_settings = { users: [leads.id], accounts: [big.id, "ANONYMOUS"] };
    const filter = { user_segments: "users", account_segments: "accounts" };
    const messages = [
      userMessage({ account: { id: "2", domain: "example.com" }, account_segments: [big] }),
      userMessage({ account: { id: "3" } }),
      userMessage({ account: {} }),
      userMessage({ segments: [leads] }),
    ];
    expect(await matches({ channel: "user:update", messages }, { filter })).toEqual([true, true, false, true]);
  });

  it("whom a person chose for an export matches, whatever the filter says", async () => {
    platform.connector.private_settings = { synchronized: [leads.id] };
    expect(await matches({ ...notice, isExport: true }, { segmentFilterSetting: "synchronized" })).toEqual([true]);
  });
});

describe("an account", () => {
  const messages = [
    accountMessage({ account_segments: [big] }),
    accountMessage({ account: { id: "2", domain: "example.com" } }),
    accountMessage(),
  ];
  const notice: Notice = { channel: "account:update", messages };

  it("matches by the account segments alone", async () => {
    platform.connector.private_settings = { users: ["ALL"], accounts: [big.id] };
    const filter = { user_segments: "users", account_segments: "accounts" };
    expect(await matches(notice, { filter })).toEqual([true, false, false]);
    platform.connector.private_settings = { accounts: ["IDENTIFIED"] };
    expect(await matches(notice, { filter })).toEqual([false, true, false]);
  });

  it("is what Muster says it is when the filter names user segments alone", async () => {
    platform.connector.private_settings = { users: [leads.id] };
    expect(await matches(notice, { segmentFilterSetting: "users" })).toEqual([true, true, true]);
    const unwanted = { ...notice, messages: [accountMessage({ matchesFilter: false })] };
    expect(await matches(unwanted, { segmentFilterSetting: "users" })).toEqual([false]);
  });
});

describe("the standard events of a message", () => {
  it("say that its subject entered or left a segment", () => {
    const entered = { entered: [leads], left: [] };
    expect(standardEventsOf(userMessage({ changes: { segments: entered } }))).toEqual(["HULL_ENTER_SEGMENT"]);
    expect(standardEventsOf(userMessage({ changes: { account_segments: entered } }))).toEqual([]);
    const moved = accountMessage({ changes: { account_segments: { entered: [big], left: [big] } } });
    expect(standardEventsOf(moved)).toEqual(["HULL_ENTER_SEGMENT", "HULL_LEAVE_SEGMENT"]);
  });
});
