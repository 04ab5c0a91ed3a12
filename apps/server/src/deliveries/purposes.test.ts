import type { Trace } from "@muster/protocol/api/deliveries";
import type { Purpose } from "@muster/protocol/api/purposes";
import type { WriteKey } from "@muster/protocol/api/write-keys";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { PATIENCE, runJob } from "../testing/bulk.js";
import { type ConnectorApp, smartManifest } from "../testing/connector-app.js";
import { DeliveryKit } from "../testing/delivery-kit.js";
import { openOrganization, Sender } from "../testing/sender.js";
import type { TestServer } from "../testing/test-server.js";

let kit: DeliveryKit;
let muster: TestServer;
let sender: Sender;
let page: (type: string, call: object) => Promise<void>;

beforeAll(async () => {
  kit = await DeliveryKit.open({ BROWSER_RECORDS_PER_MINUTE: "100000" });
  ({ muster, sender } = kit);
  for (const name of ["marketing", "analytics"]) {
    expect((await operator("PUT", `/purposes/${name}`, {})).statusCode).toBe(200);
  }
  const origin = "https://shop.example";
  const made = await operator("POST", `/${muster.first.connector.id}/write_keys`, {
    kind: "page",
    name: "Shop",
    domains: ["shop.example"],
  });
  const { key } = made.json<WriteKey>();
  const headers = { authorization: `Basic ${btoa(`${key}:`)}`, origin };
  page = async (type, payload) => {
    const answer = await muster.app.inject({ method: "POST", url: `/v1/${type}`, headers, payload });
    expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
    await said("after-the-page", {});
  };
});
afterAll(() => kit.close());
afterEach(() => kit.removeConnectors());

const operator: DeliveryKit["operator"] = (...call) => kit.operator(...call);

const said = (name: string, traits: Record<string, unknown>, at?: Date) =>
  sender.settle([sender.traits({ user: { external_id: name } }, traits, at)]);

async function installed(purposes: string[], parts: Record<string, unknown> = {}) {
  const made = await kit.install(smartManifest(parts));
  const put = await operator("PUT", `/${made.id}`, { purposes });
  expect([put.statusCode, put.json().purposes]).toEqual([200, purposes]);
  return made;
}

const about = ({ userMessages }: ConnectorApp, name: string) =>
  userMessages.filter(({ user }) => user.external_id === name);

const idOf = async (name: string) => (await sender.user({ external_id: name })).id;

/** Waits until everything that was said so far would have arrived. */
async function passed(app: ConnectorApp, marker: string): Promise<void> {
  await said(marker, { "consents/marketing": true, "consents/analytics": true, marker });
  await app.until((one) => about(one, marker).length > 0);
}

async function tracesOf(connectorId: string, name: string): Promise<Trace[]> {
  const path = `/${await idOf(name)}/traces?connector_id=${connectorId}`;
  return (await operator("GET", path)).json<Trace[]>();
}

async function countsOf(connectorId: string) {
  const answer = await operator("GET", `/${connectorId}/delivery/figures`);
  return answer.json<{ total: Record<string, number> }>().total;
}

test("nothing about a user leaves before the user agrees; then the connector gets the user as it is", async () => {
  const { app, id } = await installed(["marketing"]);
  await said("ann", { plan: "free" });
  await said("ann", { plan: "pro", "consents/analytics": true });
  await said("ann", { "consents/marketing": "yes" });
  await passed(app, "ann-marker");
  expect(about(app, "ann")).toEqual([]);
  expect(JSON.stringify(app.calls)).not.toContain('"ann"');
  expect((await countsOf(id)).withheld).toBe(2);
  expect(await tracesOf(id, "ann")).toMatchObject([
    { result: "skipped", reason: "Withheld: the user has not agreed to marketing.", status: 0 },
  ]);
  await said("ann", { "consents/marketing": true });
  await app.until((one) => about(one, "ann").length === 1);
  expect(about(app, "ann")[0]?.user).toMatchObject({ traits_plan: "pro", "traits_consents/marketing": true });
  await said("ann", { plan: "gone", "consents/marketing": false });
  await passed(app, "ann-marker-2");
  expect(about(app, "ann")).toHaveLength(1);
});

test("a connector that serves several purposes needs all of them, and one that serves none gets everything", async () => {
  const { app: both } = await installed(["analytics", "marketing"]);
  const { app: free } = await kit.install(smartManifest());
  await said("bob", { a: 1, "consents/marketing": true });
  await said("bob", { a: 2, "consents/analytics": true });
  await both.until((one) => about(one, "bob").length === 1);
  await free.until((one) => about(one, "bob").length === 2);
  expect(about(both, "bob")[0]?.user).toMatchObject({ traits_a: 2 });
});

test.each([["with flow control"], ["without flow control"], ["with combined updates"]])(
  "%s, a message that waits in the queue is not sent after the user has withdrawn",
  async (kind) => {
    const tags = {
      "with flow control": ["smart-notifier"],
      "without flow control": [],
      "with combined updates": ["kraken"],
    };
    const { app, id } = await installed(["marketing"], { tags: tags[kind as keyof typeof tags] });
    // It holds its messages while it is disabled.
    await operator("PUT", `/${id}`, { when_disabled: "hold", enabled: false });
    const name = `cay ${kind}`;
    await said(name, { "consents/marketing": true, secret: "queued before" });
    const queued = await muster.database.query("select from outbox where connector_id = $1", [id]);
    expect(queued.rows.length).toBeGreaterThan(0);
    await said(name, { "consents/marketing": false });
    await said(`${name} marker`, { "consents/marketing": true });
    await operator("PUT", `/${id}`, { enabled: true });
    await app.until(({ calls }) => calls.some(({ text }) => text.includes(`${name} marker`)));
    await vi.waitFor(async () => {
      const { rows } = await muster.database.query("select from outbox where connector_id = $1", [id]);
      expect(rows).toEqual([]);
    }, PATIENCE);
    expect(JSON.stringify(app.calls)).not.toContain("queued before");
    await vi.waitFor(async () => {
      expect((await countsOf(id)).withheld).toBe(2);
      expect(await tracesOf(id, name)).toMatchObject([{ result: "skipped" }]);
    }, PATIENCE);
  },
);

test("a thousand withheld messages are counted, and leave one note", async () => {
  const { id } = await installed(["marketing"]);
  for (let round = 0; round < 20; round++) await said("dan", { round });
  expect((await countsOf(id)).withheld).toBe(20);
  expect(await tracesOf(id, "dan")).toHaveLength(1);
});

test("a batch, a single send and a test are withheld like every other message", async () => {
  const { app, id } = await installed(["marketing"]);
  await said("eve", { a: 1 });
  const userId = await idOf("eve");
  const single = await operator("POST", `/${userId}/send`, { connector_id: id });
  expect([single.statusCode, single.body]).toEqual([409, expect.stringContaining("has not agreed to marketing")]);
  const tried = await operator("POST", `/${id}/delivery/test`, { entity_id: userId });
  expect([tried.statusCode, tried.body]).toEqual([409, expect.stringContaining("has not agreed to marketing")]);
  expect(JSON.stringify(app.calls)).not.toContain('"eve"');
});

test("a browser without proof withdraws what was proved, and never agrees to what was proved to be refused", async () => {
  const { app } = await installed(["marketing"]);
  const user = { external_id: "fay", anonymous_id: "fay-browser" };
  await sender.settle([sender.traits({ user }, { "consents/marketing": true })]);
  await app.until((one) => about(one, "fay").length === 1);
  await page("identify", { anonymousId: "fay-browser", traits: { "consents/marketing": false } });
  await said("fay", { secret: "after the browser withdrew" });
  // The person says no, with proof. A stranger who has learnt the id of the browser says yes.
  await said("fay", { "consents/marketing": false });
  await page("identify", { anonymousId: "fay-browser", traits: { "consents/marketing": true } });
  await said("fay", { secret: "after the stranger agreed" });
  await passed(app, "fay-marker");
  expect(about(app, "fay")).toHaveLength(1);
  // With proof again.
  await said("fay", { "consents/marketing": true });
  await app.until((one) => about(one, "fay").length === 2);
});

test("a visitor's grant does not override the withdrawal of the user whom the visitor turns out to be", async () => {
  const { app } = await installed(["marketing"]);
  await said("gus", { "consents/marketing": false });
  await page("identify", { anonymousId: "gus-browser", traits: { "consents/marketing": true, visited: "before" } });
  await app.until((one) => one.userMessages.some((message) => message.user.traits_visited === "before"));
  const user = { external_id: "gus", anonymous_id: "gus-browser" };
  await sender.settle([sender.traits({ user }, { secret: "joined" })]);
  await passed(app, "gus-marker");
  expect(about(app, "gus")).toEqual([]);
  expect(await sender.user({ external_id: "gus" })).toMatchObject({ "traits_consents/marketing": false });
});

test("an extract for a purpose leaves out who has not agreed, and says how many", async () => {
  const { id, secret } = await installed(["marketing"]);
  await said("ivy", { cohort: "extract", "consents/marketing": true });
  await said("jon", { cohort: "extract" });
  await said("kim", { cohort: "extract", "consents/marketing": false });
  await sender.settle([
    sender.traits({ account: { external_id: "company" }, subject: "account" }, { cohort: "extract" }),
  ]);
  const query = { term: { traits_cohort: "extract" } };
  const all = await runJob(muster, "/extract/users", { url: null, format: "json", query });
  expect(all.result).toEqual({ records: 3, format: "json" });
  const body = { url: null, format: "json", query, purposes: ["marketing"] };
  expect((await runJob(muster, "/extract/users", body)).result).toEqual({ records: 1, format: "json", withheld: 2 });
  // What the connector itself asks for is for its own purposes.
  const itself = new Sender(muster, { id, secret });
  const asked = await itself.call("POST", "/extract/users", { payload: { url: null, format: "json", query } });
  const job = asked.json<{ id: string }>();
  await vi.waitFor(async () => {
    expect((await operator("GET", `/${job.id}`)).json().result).toEqual({ records: 1, format: "json", withheld: 2 });
  }, PATIENCE);
  const accounts = await itself.call("POST", "/extract/accounts", { payload: { url: null, format: "json", query } });
  expect(accounts.statusCode).toBe(201);
  const events = await itself.call("POST", "/extract/events", { payload: { url: null, format: "json", query: {} } });
  expect([events.statusCode, events.body]).toEqual([409, expect.stringContaining("cannot be extracted for a purpose")]);
  const unknown = await operator("POST", "/extract/users", { ...body, purposes: ["unheard-of"] });
  expect(unknown.statusCode).toBe(400);
});

test("a connector cannot choose its own purposes, and a purpose that a connector serves stays", async () => {
  const { id, secret } = await installed(["marketing"]);
  const itself = new Sender(muster, { id, secret });
  const refused = await itself.call("PUT", "/app", { payload: { purposes: [] } });
  expect([refused.statusCode, refused.body]).toEqual([403, expect.stringContaining("Only an owner")]);
  // It may send back what it has read.
  expect((await itself.call("PUT", "/app", { payload: { purposes: ["marketing"] } })).statusCode).toBe(200);
  expect((await operator("GET", `/${id}`)).json().purposes).toEqual(["marketing"]);
  const kept = await operator("DELETE", "/purposes/marketing");
  expect([kept.statusCode, kept.body]).toEqual([409, expect.stringContaining("serves this purpose")]);
  expect((await operator("PUT", `/${id}`, { purposes: ["nobody-knows-it"] })).statusCode).toBe(400);
  expect((await operator("PUT", `/${id}`, { purposes: "marketing" })).statusCode).toBe(400);
  const listed = (await operator("GET", "/purposes")).json<Purpose[]>();
  expect(listed.find(({ name }) => name === "marketing")).toMatchObject({
    attribute: "consents/marketing",
    connector_ids: [id],
  });
});

test("purposes are bounded, belong to one organization, and their attributes are booleans", async () => {
  const other = await openOrganization(muster, "elsewhere");
  expect((await other.call("GET", "/purposes")).json()).toEqual([]);
  expect((await operator("PUT", "/purposes/Not%20A%20Name", {})).statusCode).toBe(400);
  await said("hal", { "consents/newsletter": "weekly" });
  expect((await operator("PUT", "/purposes/newsletter", {})).statusCode).toBe(409);
  const answers: number[] = [];
  for (let number = 0; number < 19; number++) {
    answers.push((await operator("PUT", `/purposes/p${number}`, { description: "x" })).statusCode);
  }
  expect(answers).toEqual([...Array(18).fill(200), 409]);
  for (let number = 0; number < 18; number++) {
    expect((await operator("DELETE", `/purposes/p${number}`)).statusCode).toBe(200);
  }
  expect((await operator("DELETE", "/purposes/p0")).statusCode).toBe(404);
});
