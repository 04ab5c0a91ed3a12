import { Connector, type Context, standardEventsOf } from "@muster/connector";
import {
  accountMessage,
  type RunningConnector,
  runConnector,
  startFakePlatform,
  userMessage,
} from "@muster/connector/testing";
import type { SubjectType, UserUpdateMessage } from "@muster/protocol";
import { readManifest } from "@muster/protocol/manifest";
import fc from "fast-check";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { subscriptionsOf } from "../domain/delivery/subscription.js";
import { tailorMessage } from "../domain/delivery/tailor-message.js";
import { ConnectorApp, smartManifest } from "../testing/connector-app.js";
import { Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";

const STANDARD = ["ALL", "ANONYMOUS", "IDENTIFIED"];
const SEGMENT_IDS = ["0198c2a4f1d020a1b2c3d4e5", "0198c2a4f1d020a1b2c3d4e6"];
const QUIET = { port: 0, clientConfig: { onLog: () => {} } };

const setting = fc.oneof(
  fc.constantFrom(undefined, null, "", ...STANDARD, ...SEGMENT_IDS),
  fc.array(fc.constantFrom<unknown>(...STANDARD, ...SEGMENT_IDS, "", null, 7), { maxLength: 3 }),
);
type Subject = typeof subject extends fc.Arbitrary<infer Value> ? Value : never;
const subject = fc.record({
  email: fc.constantFrom(undefined, null, "", "ada@example.com"),
  external_id: fc.constantFrom(undefined, null, "7"),
  domain: fc.constantFrom(undefined, null, "example.com"),
  segmentIds: fc.subarray(SEGMENT_IDS),
});

/** What the platform says about a subject, with the filter in the setting `private_settings.segments`. */
function askPlatform(kind: SubjectType, value: unknown, { segmentIds, ...report }: Subject) {
  const conditions = { segments: { [`${kind}:update`]: "private_settings.segments" } };
  const manifest = readManifest({ subscriptions: [{ url: "/notify", conditions }] });
  const [subscription] = subscriptionsOf(
    manifest,
    { settings: {}, private_settings: { segments: value } },
    "Connector",
  );
  const changes = { is_new: false, attributes: {}, segments: { entered: [], left: [] } };
  // What is undefined is left out of the JSON that the library gets.
  const entity = JSON.parse(JSON.stringify({ id: "1", ...report })) as { id: string };
  const message = { message_id: "1", kind, entity, segment_ids: segmentIds, changes };
  return (tailorMessage(message, subscription!, new Map(), "svc") as { matchesFilter: boolean }).matchesFilter;
}

test("the platform and the library give the same answer about every filter and every subject", async () => {
  const platform = await startFakePlatform();
  const seen: boolean[] = [];
  const note = (_ctx: Context, messages: { matchesFilter: boolean }[]) =>
    void seen.push(...messages.map(({ matchesFilter }) => matchesFilter));
  const connector = new Connector({
    ...QUIET,
    manifest: { name: "Same", version: "1.0.0", settings_sections: [] },
    organizations: [platform.url],
  });
  const filter = { user_segments: "segments", account_segments: "private_settings.segments" };
  const running = await runConnector(connector, (app) => {
    app.use("/user", connector.notificationHandler({ "user:update": note }, { filter: { user_segments: "segments" } }));
    app.use("/account", connector.notificationHandler({ "account:update": note }, { filter }));
  });
  const messageOf = (kind: SubjectType, { segmentIds, ...report }: Subject) =>
    kind === "user"
      ? { ...userMessage({ user: { id: "1", ...report } }), segment_ids: segmentIds }
      : { ...accountMessage({ account: { id: "1", ...report } }), account_segment_ids: segmentIds };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<SubjectType>("user", "account"),
      setting,
      fc.array(subject, { minLength: 1, maxLength: 10 }),
      async (kind, value, subjects) => {
        seen.length = 0;
        platform.connector.private_settings = { segments: value };
        const messages = subjects.map((each) => messageOf(kind, each));
        const answer = await platform.notify(`${running.url}/${kind}`, { channel: `${kind}:update`, messages });
        expect(answer.status).toBe(200);
        expect(seen).toEqual(subjects.map((each) => askPlatform(kind, value, each)));
      },
    ),
  );
  await running.close();
  await platform.close();
}, 120_000);

let muster: TestServer;
let sender: Sender;
let running: RunningConnector;
let installed: { id: string };
let segmentId: string;
/** What the handlers of the three subscriptions got. */
const got: Record<"filtered" | "plain" | "everybody", UserUpdateMessage[]> = { filtered: [], plain: [], everybody: [] };

beforeAll(async () => {
  muster = await openTestServer();
  await muster.listen();
  sender = new Sender(muster);
  const note = (name: keyof typeof got) => (_ctx: Context, messages: UserUpdateMessage[]) => {
    got[name].push(...messages);
  };
  const conditions = { segments: { "user:update": "private_settings.segments" } };
  const options = { filter: { user_segments: "private_settings.segments" } };
  const connector = new Connector({
    ...QUIET,
    manifest: {
      name: "Filtered",
      version: "1.0.0",
      tags: ["smart-notifier"],
      settings_sections: [],
      private_settings: [{ name: "segments", type: "array", format: "segment" }],
      subscriptions: [
        { url: "/filtered", conditions, channels: [{ channel: "user:update", handler: "filtered", options }] },
        { url: "/plain", conditions, channels: [{ channel: "user:update", handler: "plain" }] },
        { url: "/everybody", channels: [{ channel: "user:update", handler: "everybody", options }] },
      ],
    },
    handlers: {
      subscriptions: { filtered: note("filtered"), plain: note("plain"), everybody: note("everybody") },
    },
    organizations: [muster.url],
  });
  running = await runConnector(connector);
  const answer = await muster.app.inject({
    method: "POST",
    url: "/api/v1/connectors/install",
    headers: muster.operatorHeaders,
    payload: { url: running.url },
  });
  installed = answer.json();
  const segment = await sender.call("POST", "/users_segments", {
    payload: { name: "Paying", query: { term: { "traits_paying.raw": "yes" } }, predicate: {} },
  });
  segmentId = segment.json<{ id: string }>().id;
});
afterAll(async () => {
  await running?.close();
  await muster?.close();
});

async function choose(segments: unknown): Promise<void> {
  const payload = { private_settings: { segments } };
  const headers = muster.operatorHeaders;
  const { statusCode } = await muster.app.inject({ method: "PUT", url: `/api/v1/${installed.id}`, headers, payload });
  expect(statusCode).toBe(200);
  for (const messages of Object.values(got)) messages.length = 0;
}

/** Changes one user of each kind, and waits until the subscription without a filter was told of all. */
async function changeEverybody(round: string): Promise<void> {
  await sender.send([
    sender.traits({ user: { anonymous_id: "somebody" } }, { round }),
    sender.traits({ user: { email: "ada@example.com" } }, { round }),
    sender.traits({ user: { external_id: "payer" } }, { round, paying: "yes" }),
  ]);
  await vi.waitFor(() => expect(namesIn(toldIn("everybody", round))).toHaveLength(3), { timeout: 20_000 });
}

function toldIn(name: keyof typeof got, round: string): UserUpdateMessage[] {
  return got[name].filter(({ user }) => user.traits_round === round);
}

function namesIn(messages: readonly UserUpdateMessage[]): unknown[] {
  return [...new Set(messages.map(({ user }) => user.external_id ?? user.email ?? "somebody"))].sort();
}

test("the platform sends to those about whom the library says that they match", async () => {
  const cases: [unknown, string[]][] = [
    [null, []],
    [[], []],
    [["ALL"], ["ada@example.com", "payer", "somebody"]],
    [["ANONYMOUS"], ["somebody"]],
    [["IDENTIFIED"], ["ada@example.com", "payer"]],
    [[segmentId], ["payer"]],
    [
      [segmentId, "ANONYMOUS"],
      ["payer", "somebody"],
    ],
  ];
  for (const [index, [chosen, expected]] of cases.entries()) {
    await choose(chosen);
    await changeEverybody(String(index));
    const round = String(index);
    const matching = toldIn("everybody", round).filter(({ matchesFilter }) => matchesFilter);
    const sent = [...toldIn("filtered", round), ...toldIn("plain", round)];
    for (const messages of [matching, toldIn("filtered", round), toldIn("plain", round)]) {
      expect([chosen, namesIn(messages)]).toEqual([chosen, expected]);
    }
    const flags = sent.map(({ matchesFilter }) => matchesFilter);
    expect(flags).not.toContain(false);
  }
}, 120_000);

test("an anonymous user who becomes known is sent once more, and both say that it does not match any more", async () => {
  await choose(["ANONYMOUS"]);
  const anonymous = { anonymous_id: "visitor" };
  await sender.settle([sender.traits({ user: anonymous }, { step: 1 })]);
  await sender.settle([sender.traits({ user: { ...anonymous, email: "visitor@example.com" } }, { step: 2 })]);
  await sender.settle([sender.traits({ user: { email: "visitor@example.com" } }, { step: 3 })]);
  await vi.waitFor(() => expect(got.everybody.at(-1)?.user.traits_step).toBe(3), { timeout: 20_000 });
  const told = (name: keyof typeof got) =>
    got[name].map(({ user, matchesFilter }) => [user.traits_step, matchesFilter]);
  const both = [
    [1, true],
    [2, false],
  ];
  expect({ filtered: told("filtered"), plain: told("plain") }).toEqual({ filtered: both, plain: both });
});

test("a list of events with HULL_ENTER_SEGMENT gets those who enter a segment, and no events", async () => {
  const channels = [{ channel: "user:update", "events-whitelist": ["private_settings.events"] }];
  const app = await ConnectorApp.open(
    smartManifest({
      private_settings: [{ name: "events", type: "array", format: "event", default: ["HULL_ENTER_SEGMENT"] }],
      subscriptions: [{ url: "/smart-notifier", channels }],
    }),
  );
  onTestFinished(() => app.close());
  const user = { external_id: "enters" };
  await sender.settle([sender.traits({ user }, { a: 1 })]);
  await app.install(muster);
  await sender.settle([sender.track({ user }, "Looked")]);
  await sender.settle([sender.track({ user }, "Looked"), sender.traits({ user }, { paying: "yes" })]);
  await app.until(({ userMessages }) => userMessages.length > 0);
  const [first] = app.userMessages;
  expect(first).toMatchObject({ events: [], changes: { segments: { entered: [{ id: segmentId }] } } });
  expect(standardEventsOf(first!)).toEqual(["HULL_ENTER_SEGMENT"]);
});
