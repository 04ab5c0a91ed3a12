import { HOUR_MS } from "@muster/protocol";
import { pino } from "pino";
import { uncompressSync } from "snappy";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { findAll } from "../../testing/find-all.js";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";
import { noteTraces, tracesOf } from "../../testing/traces.js";
import { cleanErased } from "../../upkeep/clean-erased.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

describe("erasing a user", () => {
  const whoIs = async (name: string) => {
    const user = { external_id: name, email: `${name}@example.com` };
    await sender.settle([
      sender.traits({ user: { anonymous_id: `${name}-before` } }, { early: true }),
      sender.track({ user: { anonymous_id: `${name}-before` } }, "Visited"),
    ]);
    const former = (await sender.user({ anonymous_id: `${name}-before` })).id;
    await sender.settle([sender.traits({ user }, { plan: "pro" }), sender.track({ user }, "Bought")]);
    await sender.settle([sender.traits({ user: { ...user, anonymous_id: `${name}-before` } }, {})]);
    const { id } = await sender.user(user);
    expect(await sender.events({ user: id })).toHaveLength(2);
    await noteTraces(server, [id, former]);
    expect(await tracesOf(server, [id, former])).toHaveLength(2);
    return { user, id, former };
  };

  /** The stored identifiers that begin with a name. */
  const identifiersOf = async (name: string) => {
    const { rows } = await server.database.query<{ value: string }>(
      "select value from user_identifiers where value like $1 order by value",
      [`${name}%`],
    );
    return rows.map(({ value }) => value);
  };

  const expectGone = async ({ user, id, former }: Awaited<ReturnType<typeof whoIs>>) => {
    expect(await sender.isKnown(user)).toBe(false);
    expect(await sender.isKnown({ anonymous_id: `${user.external_id}-before` })).toBe(false);
    for (const gone of [id, former]) {
      expect((await sender.call("GET", `/${gone}`)).statusCode).toBe(404);
      expect((await sender.call("GET", `/${gone}/user_report`)).statusCode).toBe(404);
    }
    expect(await tracesOf(server, [id, former])).toEqual([]);
    expect(await identifiersOf(user.external_id)).toEqual([]);
    const of = server.first.organization.id;
    expect(await findAll(server, of, "event", { terms: { user_id: [id, former] } })).toEqual([]);
    expect(await findAll(server, of, "user", { ids: { values: [id, former] } })).toEqual([]);
  };

  test("that was created in the same micro-batch stores a receipt, and its entries are taken out of the log", async () => {
    const user = { external_id: "short-lived" };
    await sender.settle([sender.traits({ user }, { life: "short" }), sender.entry("incinerate", { user }, {})]);
    expect(await sender.isKnown(user)).toBe(false);
    const { rows } = await server.database.query<{ id: string; identifiers: string[]; receipts: number }>(
      `select id, identifiers,
         (select count(*) from erasures r where r.organization_id = e.organization_id and r.id = e.id) as receipts
       from erased e
       where 'external_id short-lived' = any(identifiers)`,
    );
    expect(rows).toMatchObject([{ identifiers: ["external_id short-lived"], receipts: 1 }]);
    const { rows: changes } = await server.database.query<{ payload: Buffer }>("select payload from changes");
    const texts = changes.map(({ payload }) => uncompressSync(payload).toString());
    expect(texts.filter((text) => text.includes(rows[0]!.id))).toEqual([]);
    await cleanErased({ ...server, logger: pino({ level: "silent" }) }, new AbortController().signal);
    const { rows: logged } = await server.database.query<{ payload: Buffer }>("select payload from ingest_log");
    const entries = logged.map(({ payload }) => uncompressSync(payload).toString());
    expect(entries.filter((text) => text.includes("short-lived"))).toEqual([]);
  });

  test("notes a time that is not before the incinerate entry, also when the database has an earlier clock", async () => {
    const user = { external_id: "from-the-future" };
    await sender.settle([sender.traits({ user }, {})]);
    const { id } = await sender.user(user);
    const ahead = Date.now() + HOUR_MS;
    vi.useFakeTimers({ toFake: ["Date"], now: ahead });
    onTestFinished(() => void vi.useRealTimers());
    await sender.settle([sender.entry("incinerate", { user }, {})]);
    vi.useRealTimers();
    const { rows } = await server.database.query<{ at: Date }>("select erased_at as at from erased where id = $1", [
      id,
    ]);
    expect(rows[0]!.at.getTime()).toBeGreaterThanOrEqual(ahead);
  });

  test("by an incinerate entry removes the profile, its former ids and all their events", async () => {
    const gone = await whoIs("burnt");
    await sender.settle([sender.entry("incinerate", { user: gone.user }, {})]);
    await expectGone(gone);
  });

  test("who took over another one in the same micro-batch removes the identifiers of both", async () => {
    const user = { external_id: "joined" };
    const browser = { anonymous_id: "joined-browser" };
    await sender.settle([sender.traits({ user }, {}), sender.traits({ user: browser }, {})]);
    expect(await identifiersOf("joined")).toEqual(["joined", "joined-browser"]);
    await sender.settle([
      sender.traits({ user: { ...user, ...browser, email: "joined@example.com" } }, {}),
      sender.entry("incinerate", { user }, {}),
    ]);
    expect(await identifiersOf("joined")).toEqual([]);
  });

  test("by DELETE does the same, answers a position, and answers 404 the second time", async () => {
    const gone = await whoIs("deleted");
    const answer = await sender.call("DELETE", `/${gone.former}`);
    expect(answer.json()).toMatchObject({
      id: gone.id,
      deleted: true,
      position: answer.headers["svc-position"],
      receipt: { id: gone.id, status: "cleaning", removed: { profiles: 2, identifiers: 3, delivery_traces: 2 } },
    });
    await sender.waitFor(answer.json().position);
    await expectGone(gone);
    expect((await sender.call("DELETE", `/${gone.id}`)).statusCode).toBe(404);
  });

  test("comes after all records that were accepted before it, also when the calls follow at once", async () => {
    const user = { external_id: "hurried" };
    await sender.settle([sender.traits({ user }, {})]);
    const { id } = await sender.user(user);
    const many = Array.from({ length: 20 }, (_, index) => sender.traits({ user }, { index }));
    await Promise.all(many.map((entry) => sender.send([entry])));
    const answer = await sender.call("DELETE", `/${id}`);
    await sender.waitFor(answer.json().position);
    expect(await sender.isKnown(user)).toBe(false);
  });

  test("frees the identifiers: a later record creates a new user, also within the same batch", async () => {
    const gone = await whoIs("phoenix");
    await sender.settle([
      sender.entry("incinerate", { user: gone.user }, {}),
      sender.traits({ user: gone.user }, { reborn: true }),
    ]);
    const reborn = await sender.user(gone.user);
    expect(reborn.id).not.toBe(gone.id);
    expect(reborn).toMatchObject({ traits_reborn: true, anonymous_ids: [] });
    expect(reborn).not.toHaveProperty("traits_plan");
    expect((await sender.call("GET", `/${gone.id}`)).statusCode).toBe(404);
  });

  test("is final for records that were written before it, however late they come", async () => {
    const user = { external_id: "belated", email: "belated@example.com" };
    const before = new Date();
    await sender.settle([sender.traits({ user }, { plan: "pro" })]);
    await sender.settle([sender.entry("incinerate", { user }, {})]);
    await sender.settle([
      sender.traits({ user }, { plan: "old" }, before),
      sender.track({ user: { email: "Belated@example.com" } }, "Returned", {}, before),
      sender.entry("alias", { user: { anonymous_id: "somebody" } }, { email: "belated@example.com" }, before),
      sender.traits({ user: { external_id: "companion" } }, { plan: "new" }, before),
    ]);
    expect(await sender.isKnown(user)).toBe(false);
    expect(await sender.isKnown({ anonymous_id: "somebody" })).toBe(false);
    expect(await sender.isKnown({ external_id: "companion" })).toBe(true);
    await sender.settle([sender.traits({ user }, { plan: "new" })]);
    expect(await sender.user(user)).toMatchObject({ traits_plan: "new" });
  });

  test("is final for older records of the same batch too", async () => {
    const user = { external_id: "overtaken" };
    const before = new Date(Date.now() - 1_000);
    await sender.settle([sender.traits({ user }, { plan: "pro" })]);
    await sender.settle([
      sender.entry("incinerate", { user }, {}),
      sender.traits({ user }, { plan: "old" }, before),
      sender.track({ user }, "Bought", {}, before),
    ]);
    expect(await sender.isKnown(user)).toBe(false);
  });

  test("of an account takes it out of older records about its users, which are applied without it", async () => {
    const account = { external_id: "dissolved" };
    const user = { external_id: "of-dissolved" };
    const before = new Date();
    await sender.settle([sender.traits({ account }, { name: "Dissolved" })]);
    await sender.settle([sender.entry("incinerate", { account }, {})]);
    await sender.settle([
      sender.traits({ user, account }, { plan: "pro" }, before),
      sender.traits({ account }, { name: "Again" }, before),
    ]);
    expect(await sender.user(user)).toMatchObject({ traits_plan: "pro", account: null });
  });

  test("keeps no identifier in plain text once the logs are clean, only keyed hashes", async () => {
    const { rows } = await server.database.query<{ hash: Buffer }>("select hash from erased_identifiers");
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(({ hash }) => hash.length === 32)).toBe(true);
  });

  test("who was merged in the same batch removes the merged users too", async () => {
    const visitor = { anonymous_id: "short-lived" };
    await sender.settle([sender.traits({ user: visitor }, {}), sender.track({ user: visitor }, "Peeked")]);
    const { id } = await sender.user(visitor);
    const user = { email: "brief@example.com" };
    await sender.settle([
      sender.traits({ user }, {}),
      sender.traits({ user: { ...user, ...visitor } }, {}),
      sender.entry("incinerate", { user }, {}),
    ]);
    expect((await sender.call("GET", `/${id}`)).statusCode).toBe(404);
    expect(await sender.events({ event: "Peeked" })).toEqual([]);
  });

  test("who does not exist is rejected, and creates nobody", async () => {
    await sender.settle([sender.entry("incinerate", { user: { email: "nobody@example.com" } }, {})]);
    expect(await sender.isKnown({ email: "nobody@example.com" })).toBe(false);
    expect((await sender.rejected()).at(-1)).toMatchObject({ code: "not_found", entry: { type: "incinerate" } });
  });
});
