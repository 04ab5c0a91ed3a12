import type { SegmentImpact as Impact, Segment as SegmentDetails } from "@muster/protocol/api/segments";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { SegmentUse } from "../../connectors/segment-uses.js";
import { ConnectorApp, smartManifest } from "../../testing/connector-app.js";
import { openOrganization, Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
let stranger: Sender;
const apps = new Map<string, ConnectorApp>();
const ids = new Map<string, string>();

const WAIT = { timeout: 20_000, interval: 50 };
const PRO = { term: { plan: "pro" } };
const FREE = { term: { plan: "free" } };
const PEOPLE = [
  { who: { user: { email: "ann@example.com" }, account: { domain: "acme.example" } }, plan: "pro" },
  { who: { user: { email: "bob@example.com" }, account: { domain: "acme.example" } }, plan: "free" },
  { who: { user: { email: "cat@example.com" } }, plan: "pro" },
  { who: { user: { anonymous_id: "browser-1" } }, plan: "free" },
  { who: { user: { anonymous_id: "browser-2" } }, plan: "free" },
];

/** Installs a connector with this name whose messages about users and accounts are filtered by a setting. */
async function install(name: string, segments: string[] | undefined, subscription: object = {}): Promise<void> {
  const conditions = {
    segments: { "user:update": ["private_settings.segments"], "account:update": ["private_settings.segments"] },
  };
  const manifest = smartManifest({
    name,
    private_settings: [{ name: "segments", title: "Segments to send", type: "array", format: "segment" }],
    subscriptions: [{ url: "/smart-notifier", ...(segments ? { conditions } : {}), ...subscription }],
  });
  const app = await ConnectorApp.open(manifest);
  const { id } = await app.install(server);
  apps.set(name, app);
  ids.set(name, id);
  if (segments) await change(id, { private_settings: { segments } });
}

async function change(id: string, payload: object): Promise<void> {
  const { operatorHeaders: headers } = server;
  const answer = await server.app.inject({ method: "PUT", url: `/api/v1/${id}`, headers, payload });
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
}

async function create(name: string, query: object, path = "/users_segments"): Promise<string> {
  const payload = { name, query, predicate: {} };
  return (await sender.call("POST", path, { payload })).json<SegmentDetails>().id;
}

async function filled(id: string, members: number): Promise<void> {
  await vi.waitFor(async () => {
    const { stats } = (await sender.object(id)) as unknown as SegmentDetails;
    expect(Object.values(stats)).toEqual([members]);
  }, WAIT);
}

async function impactOf(payload: object): Promise<Impact> {
  const answer = await sender.call("POST", "/segments/impact", { payload });
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
  return answer.json();
}

function messagesByName({ connectors }: Impact): Record<string, number> {
  return Object.fromEntries(connectors.map(({ name, messages }) => [name, messages]));
}

/** How many messages about a segment's movers each connector has received. */
function received(segmentId: string): Record<string, number> {
  const moves = [...apps].map(([name, app]) => {
    const about = app.userMessages.filter(({ changes }) =>
      [...(changes.segments.entered ?? []), ...(changes.segments.left ?? [])].some(({ id }) => id === segmentId),
    );
    return [name, about.length] as const;
  });
  return Object.fromEntries(moves.filter(([, messages]) => messages > 0));
}

beforeAll(async () => {
  server = await openTestServer({ ALLOW_PRIVATE_NETWORK: "true" });
  await server.listen();
  sender = new Sender(server);
  stranger = await openOrganization(server, "other");
  await sender.settle(PEOPLE.map(({ who, plan }) => sender.traits(who, { plan })));
  await stranger.settle([stranger.traits({ user: { email: "zoe@example.com" } }, { plan: "pro" })]);
});

afterAll(async () => {
  await server.close();
  for (const app of apps.values()) await app.close();
});

describe("the impact of saving a segment", () => {
  test("is what happens: who moves, and how many messages each connector gets", async () => {
    const everybody = await create("Everybody", {});
    const saved = await create("Plan", PRO);
    await filled(saved, 2);
    await filled(everybody, 5);
    await install("Unfiltered", undefined);
    await install("By the segment", [saved]);
    await install("By another segment", [everybody]);
    await install("All", ["ALL"]);
    await install("Anonymous", ["ANONYMOUS"]);
    await install("Identified", ["IDENTIFIED"]);
    await install("Nobody", []);
    await install("Accounts only", undefined, { conditions: { channels: { only: ["account:update"] } } });

    const impact = await impactOf({ query: FREE, segment_id: saved });
    expect(impact).toMatchObject({ total: 5, size_before: 2, size_after: 3, entering: 3, leaving: 2, share: 1 });
    const expected = {
      Unfiltered: 5,
      "By the segment": 5,
      "By another segment": 5,
      All: 5,
      Anonymous: 2,
      Identified: 3,
    };
    expect(messagesByName(impact)).toEqual(expected);
    expect(impact.connectors.map(({ messages }) => messages)).toEqual([5, 5, 5, 5, 3, 2]);

    await sender.call("PUT", `/${saved}`, { payload: { query: FREE } });
    await filled(saved, 3);
    await vi.waitFor(() => expect(received(saved)).toEqual(expected), WAIT);
  });

  test("of a new segment is that all who match enter", async () => {
    const impact = await impactOf({
      predicate: { property: { key: "plan" }, operator: "equals", options: { value: "pro" } },
    });
    expect(impact).toMatchObject({ total: 5, size_before: 0, size_after: 2, entering: 2, leaving: 0, share: 0.4 });
    expect(messagesByName(impact)).toEqual({
      Unfiltered: 2,
      "By another segment": 2,
      All: 2,
      Identified: 2,
    });
  });

  test("is nothing when nobody moves", async () => {
    const id = await create("Steady", PRO);
    await filled(id, 2);
    expect(await impactOf({ query: PRO, segment_id: id })).toMatchObject({ entering: 0, leaving: 0, connectors: [] });
  });

  test("of accounts counts the users of an account for connectors that are told of them", async () => {
    const query = { exists: { field: "domain" } };
    const before = messagesByName(await impactOf({ query, type: "accounts_segment" }));
    expect(before).toMatchObject({ Unfiltered: 1, "Accounts only": 1 });
    await change(ids.get("Unfiltered") ?? "", { notify_users_of_account: true });
    const after = messagesByName(await impactOf({ query, type: "accounts_segment" }));
    expect(after).toEqual({ ...before, Unfiltered: 3 });
  });

  test("leaves out connectors that get no messages, and is about one organization", async () => {
    await change(ids.get("All") ?? "", { enabled: false });
    expect(messagesByName(await impactOf({ query: PRO }))).not.toHaveProperty("All");
    const answer = await stranger.call("POST", "/segments/impact", { payload: { query: PRO } });
    expect(answer.json()).toMatchObject({ total: 1, entering: 1, connectors: [] });
  });

  test("is refused for a wrong query, and for a segment of others", async () => {
    const wrong = await sender.call("POST", "/segments/impact", { payload: { query: { near: {} } } });
    expect([wrong.statusCode, wrong.json().error.code]).toEqual([400, "invalid_query"]);
    const id = await create("Ours", PRO);
    const answer = await stranger.call("POST", "/segments/impact", { payload: { query: PRO, segment_id: id } });
    expect(answer.statusCode).toBe(404);
  });
});

describe("the uses of a segment", () => {
  test("are the settings of connectors that name it, and the segments that ask about it", async () => {
    const id = await create("Used", PRO);
    const asking = await create("Asking", { terms: { segment_ids: [id] } });
    await change(ids.get("Nobody") ?? "", { private_settings: { segments: ["ANONYMOUS", id] } });
    const answer = await sender.call("GET", `/${id}/uses`);
    const use = {
      segment_id: id,
      connectors: [
        {
          id: ids.get("Nobody"),
          name: "Nobody",
          enabled: true,
          settings: [{ path: "private_settings.segments", title: "Segments to send" }],
        },
      ],
      segments: [{ id: asking, name: "Asking", type: "users_segment" }],
    };
    expect(answer.json()).toEqual(use);
    const all = (await sender.call("GET", "/segments/uses?per_page=1000")).json<SegmentUse[]>();
    expect(all.find(({ segment_id }) => segment_id === id)).toEqual(use);
    expect(all.find(({ segment_id }) => segment_id === asking)).toEqual({
      segment_id: asking,
      connectors: [],
      segments: [],
    });
  });

  test("cannot be seen by another organization", async () => {
    const id = await create("Hidden", PRO);
    expect((await stranger.call("GET", `/${id}/uses`)).statusCode).toBe(404);
    expect((await stranger.call("GET", "/segments/uses")).json()).toEqual([]);
  });
});
