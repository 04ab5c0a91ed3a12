import { pino } from "pino";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { placesOf } from "../testing/everything-stored.js";
import { Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";
import { cleanErased } from "./clean-erased.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

const log = (message: string) =>
  sender.call("POST", `/${server.first.connector.id}/logs`, { payload: [{ level: "info", message }] });

/** Erases everybody who waits for it, until no place holds the text. */
async function untilNowhere(text: string): Promise<void> {
  const options = { ...server, logger: pino({ level: "silent" }), timing: { settleMs: 0, paceMs: 0 } };
  await vi.waitFor(
    async () => {
      await cleanErased(options, new AbortController().signal);
      expect(await placesOf(server, text)).toEqual([]);
    },
    { timeout: 30_000, interval: 200 },
  );
}

test("an identifier that was removed before the erasure is nowhere any more", async () => {
  const user = { external_id: "nell" };
  const old = { email: "nell-old@example.com", anonymous_id: "nell-old-cookie" };
  await sender.settle([sender.traits({ user: { ...user, ...old } }, { age: 30 })]);
  // The attribute has a type, so the entry is rejected and kept as it came.
  await sender.settle([sender.traits({ user: { email: old.email } }, { age: "thirty" })]);
  await log(`sent to ${old.email}`);
  await log(`seen ${old.anonymous_id}`);
  await sender.settle([sender.entry("unalias", { user }, old)]);
  await vi.waitFor(async () => expect(await placesOf(server, "nell-old")).toContain("connector_logs"), {
    timeout: 20_000,
    interval: 50,
  });
  const before = await placesOf(server, "nell-old");
  expect(before).toEqual(expect.arrayContaining(["ingest_log", "rejected_entries", "connector_logs"]));
  await sender.settle([sender.entry("incinerate", { user }, {})]);
  await untilNowhere("nell-old");
});

test("a late record by an identifier that was removed before the erasure does not bring the user back", async () => {
  const user = { external_id: "olga" };
  const old = { email: "olga-old@example.com" };
  const before = new Date();
  await sender.settle([sender.traits({ user: { ...user, ...old } }, {})]);
  await sender.settle([sender.entry("unalias", { user }, old)]);
  await sender.settle([sender.entry("incinerate", { user }, {})]);
  await sender.settle([sender.traits({ user: old }, { plan: "old" }, before)]);
  expect(await sender.isKnown(old)).toBe(false);
  // A record from after the erasure is about somebody new.
  await sender.settle([sender.traits({ user: old }, { plan: "new" })]);
  expect(await sender.user(old)).toMatchObject({ traits_plan: "new" });
});

test("neither does one when all came in one batch", async () => {
  const user = { external_id: "pia" };
  const old = { anonymous_id: "pia-old-cookie" };
  const before = new Date(Date.now() - 1_000);
  await sender.settle([
    sender.traits({ user: { ...user, ...old } }, {}),
    sender.entry("unalias", { user }, old),
    sender.entry("incinerate", { user }, {}),
    sender.traits({ user: old }, { plan: "old" }, before),
  ]);
  expect(await sender.isKnown(old)).toBe(false);
});

test("the identifiers that a merged user had before the merge count too, and those of an account", async () => {
  const [visitor, user] = [{ anonymous_id: "quin-cookie" }, { external_id: "quin" }];
  const [account, domain] = [{ external_id: "quin-corp" }, { domain: "quin-old.example" }];
  const before = new Date();
  await sender.settle([
    sender.traits({ user: { ...visitor, email: "quin-old@example.com" } }, {}),
    sender.traits({ user }, {}),
    sender.traits({ account: { ...account, ...domain } }, {}),
  ]);
  await sender.settle([
    sender.entry("unalias", { user: visitor }, { email: "quin-old@example.com" }),
    sender.entry("unalias", { account }, domain),
  ]);
  await sender.settle([sender.entry("alias", { user }, visitor)]);
  await sender.settle([sender.entry("incinerate", { user }, {}), sender.entry("incinerate", { account }, {})]);
  await sender.settle([
    sender.traits({ user: { email: "quin-old@example.com" } }, { plan: "old" }, before),
    sender.traits({ account: domain }, { plan: "old" }, before),
  ]);
  expect(await sender.isKnown({ email: "quin-old@example.com" })).toBe(false);
  await untilNowhere("quin-old");
});

test("an identifier that somebody else has by now is theirs", async () => {
  const [rosa, sven] = [{ external_id: "rosa" }, { external_id: "sven" }];
  const shared = { email: "shared-box@example.com" };
  const before = new Date();
  await sender.settle([sender.traits({ user: { ...rosa, ...shared } }, {})]);
  await sender.settle([sender.entry("unalias", { user: rosa }, shared)]);
  await sender.settle([sender.traits({ user: { ...sven, ...shared } }, {})]);
  await sender.settle([sender.entry("incinerate", { user: rosa }, {})]);
  await sender.settle([sender.traits({ user: shared }, { plan: "late" }, before)]);
  expect(await sender.user(sven)).toMatchObject({ traits_plan: "late" });
});
