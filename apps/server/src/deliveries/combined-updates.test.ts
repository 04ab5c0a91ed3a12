import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { readConfig } from "../runtime/settings/config.js";
import { type ConnectorApp, NEXT, smartManifest } from "../testing/connector-app.js";
import { DeliveryKit } from "../testing/delivery-kit.js";
import type { Sender } from "../testing/sender.js";

let kit: DeliveryKit;
let sender: Sender;

beforeAll(async () => {
  // So long that nothing is sent before the test says so, however busy the machine is.
  kit = await DeliveryKit.open({ COMBINE_UPDATES_MS: "60000" });
  ({ sender } = kit);
});
afterAll(() => kit.close());
afterEach(() => kit.removeConnectors());

const messagesAbout = (app: ConnectorApp, email: string) => app.userMessages.filter(({ user }) => user.email === email);

/** Lets all messages have waited long enough. The next one wakes the connector. */
async function letWait(): Promise<void> {
  await kit.muster.database.query("update outbox set created_at = created_at - interval '61 seconds'");
  await sender.settle([sender.traits({ user: { email: "waking@example.com" } }, { at: Math.random() })]);
}

test("a user who is linked to an account by a second batch, a second later, is one message for the tag kraken", async () => {
  // The public test of the original service waits for so long between the batches.
  expect(readConfig({}).combineUpdatesMs).toBeGreaterThan(1_060);
  const { app } = await kit.install(smartManifest({ tags: ["kraken"] }));
  const { app: fast } = await kit.install(smartManifest());
  const user = { email: "canary@example.com" };
  await sender.send([sender.traits({ user }, { plan: "free" }), sender.track({ user }, "Signed up")]);
  // Another connector does not wait.
  await fast.until(() => messagesAbout(fast, user.email).length === 1);
  await sender.settle([sender.traits({ user, account: { domain: "canary.example" } }, { plan: "pro" })]);
  await fast.until(() => messagesAbout(fast, user.email).length === 2);
  expect(app.userMessages).toEqual([]);
  await letWait();
  await app.until(() => messagesAbout(app, user.email).length > 0);
  // The next message says that none is left before it.
  await letWait();
  await app.until(() => messagesAbout(app, "waking@example.com").length > 0);
  expect(messagesAbout(app, user.email)).toMatchObject([
    {
      user: { traits_plan: "pro" },
      account: { domain: "canary.example" },
      events: [{ event: "Signed up" }],
      changes: { is_new: true, user: { traits_plan: [null, "pro"] }, account: { id: [null, expect.any(String)] } },
    },
  ]);
});

test("nothing is lost or told twice, and each user's changes stay in order, while every other call fails", async () => {
  let calls = 0;
  const taken: ConnectorApp["userMessages"] = [];
  const { app } = await kit.install(smartManifest({ tags: ["kraken"] }), ({ body }, response) => {
    calls += 1;
    if (calls % 2 === 1) return response.writeHead(500).end("no") && undefined;
    if (body.channel === "user:update") taken.push(...(body.messages as typeof taken));
    return NEXT;
  });
  const people = ["ann", "bob", "cas"].map((name) => ({ email: `${name}@combined.example` }));
  const of = (email: string) => taken.filter(({ user }) => user.email === email);
  const rounds = 12;
  for (let round = 1; round <= rounds; round += 1) {
    const entries = people.flatMap((user) => [
      sender.traits({ user }, { round }),
      sender.track({ user }, "Round", { event_id: `${user.email}-${round}` }),
    ]);
    await sender.settle(entries);
    // Calls go on while the next rounds are sent.
    if (round % 4 === 0) await letWait();
  }
  await app.until(() => people.every(({ email }) => of(email).at(-1)?.user.traits_round === rounds));
  for (const { email } of people) {
    const changes = of(email).map((message) => message.changes.user.traits_round);
    // Each begins where the one before has ended.
    expect(changes.map((change) => change?.[0])).toEqual([null, ...changes.slice(0, -1).map((change) => change?.[1])]);
    expect(changes.length).toBeLessThan(rounds / 2);
    expect(of(email).flatMap(({ events }) => events.map(({ event_id: id }) => id))).toEqual(
      Array.from({ length: rounds }, (_, index) => `${email}-${index + 1}`),
    );
  }
});
