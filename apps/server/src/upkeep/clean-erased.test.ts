import { pino } from "pino";
import { uncompressSync } from "snappy";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { findAll } from "../testing/find-all.js";
import { openOrganization, Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";
import { noteTraces, tracesOf } from "../testing/traces.js";
import { cleanErased, cleanNext } from "./clean-erased.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
afterAll(() => server.close());

const options = () => ({ ...server, logger: pino({ level: "silent" }) });
const clean = () => cleanErased(options(), new AbortController().signal);

/** All data of PostgreSQL, decompressed, and all answers of the question engine. */
async function everywhere(): Promise<string> {
  const tables = ["users", "accounts", "user_identifiers", "account_identifiers", "merges", "erased", "event_keys"];
  const texts: string[] = [];
  for (const table of [
    ...tables,
    "end_user_event_keys",
    "rejected_entries",
    "sign_ins",
    "user_marks",
    "comments",
    "ingest_receipts",
    "traces",
  ]) {
    const { rows } = await server.database.query<{ row: string }>(`select row_to_json(t)::text as row from ${table} t`);
    texts.push(...rows.map(({ row }) => `${table} ${row}`));
  }
  for (const table of ["changes", "ingest_log"]) {
    const { rows } = await server.database.query<{ payload: Buffer }>(`select payload from ${table}`);
    texts.push(...rows.map(({ payload }) => `${table} ${uncompressSync(payload)}`));
  }
  const { rows: organizations } = await server.database.query<{ id: string }>(
    "select id from organizations order by id",
  );
  const { rows: erased } = await server.database.query<{ id: string }>("select id from erased order by id");
  for (const { id: organizationId } of organizations) {
    for (const target of ["user", "account", "event"] as const) {
      const found = await findAll(server, organizationId, target);
      texts.push(...found.map((row) => `questions ${target} ${row.id} ${JSON.stringify(row)}`));
    }
    const memberships = await server.questions.membershipsOf(
      organizationId,
      erased.map(({ id }) => id),
    );
    const left = [...memberships].filter(([, segments]) => segments.length > 0);
    texts.push(...left.map(([id, segments]) => `questions membership ${id} ${JSON.stringify(segments)}`));
  }
  return texts.join("\n");
}

test("after the cleaning no trace of an erased user is left anywhere, and other users did not change", async () => {
  const mallory = { external_id: "mallory-7", email: "mallory@example.com" };
  const visitor = { anonymous_id: "mallory-cookie" };
  const ann = { external_id: "ann" };
  await sender.settle([
    sender.traits({ user: visitor }, { via: "mallory-ads" }),
    sender.track({ user: visitor }, "Peeked", { properties: { page: "mallory-page" } }),
    sender.traits({ user: ann }, { plan: "pro" }),
    sender.track({ user: ann }, "Ordered", { event_id: "ann-order" }),
  ]);
  await sender.settle([
    sender.traits({ user: mallory, account: { domain: "acme.example" } }, { name: "Mallory M", age: 30 }),
    sender.track({ user: mallory }, "Ordered", { event_id: "mallory-order", properties: { to: "mallory street" } }),
    sender.traits({ user: ann, account: { domain: "acme.example" } }, {}),
  ]);
  await sender.settle([sender.traits({ user: { ...mallory, ...visitor }, active: true }, { age: "mallory-age" })]);
  await server.app.inject({
    method: "POST",
    url: "/api/v1/users/login",
    payload: { access_token: sender.token({ user: mallory }) },
  });
  const tracked = await sender.callAs({ user: mallory }, "POST", "/me/track", {
    payload: { event: "Mallory looked", event_id: "1" },
  });
  await sender.waitFor(tracked.json().position);
  const { id } = await sender.user(mallory);
  await sender.call("POST", `/${id}/comments`, { payload: { text: "mallory is nice" } });
  expect(await sender.rejected()).toHaveLength(1);
  const annBefore = await sender.user(ann);

  const answer = await sender.call("DELETE", `/${id}`);
  await sender.waitFor(answer.json().position);
  expect(await everywhere()).toMatch(/mallory/i);
  // The server's own loop may be in the middle of the same pass. Then this one has nothing to do.
  await vi.waitFor(
    async () => {
      await clean();
      expect(await everywhere()).not.toMatch(/mallory/i);
    },
    { timeout: 60_000, interval: 200 },
  );
  expect(await everywhere()).not.toContain(`questions user ${id}`);

  const { rows } = await server.database.query<{ id: string; cleaned: boolean }>(
    "select id, cleaned_at is not null as cleaned from erased",
  );
  expect(rows).toHaveLength(2);
  expect(rows.every(({ cleaned }) => cleaned)).toBe(true);
  expect((await sender.call("GET", `/${id}`)).statusCode).toBe(404);
  expect({ ...(await sender.user(ann)), indexed_at: "" }).toMatchObject({ ...annBefore, account: {}, indexed_at: "" });
  expect(await sender.events({ event: "Ordered" })).toMatchObject([{ event_id: "ann-order" }]);
});

test("after the cleaning a batch that is sent again is still a duplicate, and the pipeline goes on", async () => {
  const user = { external_id: "twice" };
  const batch = [sender.traits({ user }, { n: { operation: "inc", value: 1 } })];
  await sender.settle(batch);
  await sender.settle([sender.entry("incinerate", { user }, {})]);
  await clean();
  expect(await sender.settle(batch)).toMatchObject({ duplicate: true });
  expect(await sender.isKnown(user)).toBe(false);
  await sender.settle([sender.traits({ user }, { n: { operation: "inc", value: 1 } })]);
  expect(await sender.user(user)).toMatchObject({ traits_n: 1 });
});

test("a trace that was written after the erasure is removed too, and traces of other users stay", async () => {
  const [late, other] = [{ external_id: "late" }, { external_id: "other" }];
  await sender.settle([sender.traits({ user: late }, {}), sender.traits({ user: other }, {})]);
  const ids = [(await sender.user(late)).id, (await sender.user(other)).id];
  await noteTraces(server, ids, "before");
  await sender.settle([sender.entry("incinerate", { user: late }, {})]);
  await noteTraces(server, ids, "after");
  expect(await tracesOf(server, ids)).toEqual(["after", "before", "after"]);
  await clean();
  expect(await tracesOf(server, ids)).toEqual(["before", "after"]);
});

test("records of a new user with the same identifiers stay", async () => {
  const user = { external_id: "reborn", email: "reborn@example.com" };
  await sender.settle([sender.traits({ user }, { life: "first life" })]);
  await sender.settle([sender.entry("incinerate", { user }, {})]);
  await sender.settle([sender.traits({ user }, { life: "second life" }), sender.track({ user }, "Returned")]);
  await clean();
  const left = await everywhere();
  expect(left).not.toContain("first life");
  expect(
    left
      .split("\n")
      .filter((line) => line.includes("second life"))
      .map((line) => line.split(" ")[0]),
  ).toEqual(expect.arrayContaining(["users", "changes", "ingest_log", "questions"]));
  expect(await sender.user(user)).toMatchObject({ traits_life: "second life" });
});

test("an erased account is removed from the logs too, and its users stay", async () => {
  const user = { external_id: "employee" };
  const account = { external_id: "initech-1", domain: "initech.example" };
  await sender.settle([sender.traits({ user }, { kept: true }), sender.traits({ account }, { name: "Initech" })]);
  await sender.settle([sender.traits({ account }, { name: "Initech Ltd" })]);
  await sender.settle([sender.entry("incinerate", { account }, {})]);
  await clean();
  expect(await everywhere()).not.toMatch(/initech/i);
  expect(await sender.user(user)).toMatchObject({ traits_kept: true });
});

test("a pass that was interrupted goes on where it stopped, and changes no other organization", async () => {
  const globex = await openOrganization(server, "globex");
  const user = { external_id: "trudy" };
  for (const one of [sender, globex]) {
    for (let round = 0; round < 30; round++) await one.send([one.traits({ user }, { trudy: `trudy ${round}` })]);
    await one.settle([one.track({ user }, "Trudged")]);
  }
  await sender.settle([sender.entry("incinerate", { user }, {})]);
  const organizationId = server.first.organization.id;
  let pages = 0;
  // Each page is a transaction of its own, so stopping after a page is the same as a crash.
  while (await cleanNext(options(), organizationId)) pages += 1;
  expect(pages).toBeGreaterThan(6);
  const left = (await everywhere()).split("\n").filter((line) => line.includes("trudy"));
  expect(left.length).toBeGreaterThan(0);
  expect(await globex.user(user)).toMatchObject({ traits_trudy: "trudy 29" });
  await globex.settle([globex.entry("incinerate", { user }, {})]);
  await clean();
  expect(await everywhere()).not.toContain("trudy");
});

test("no transaction is open while the question engine erases, which may take minutes", async () => {
  const user = { external_id: "slow-erasure" };
  await sender.settle([sender.traits({ user }, {})]);
  await sender.settle([sender.entry("incinerate", { user }, {})]);
  const erase = server.questions.erase.bind(server.questions);
  let free: number | null = null;
  const spy = vi.spyOn(server.questions, "erase").mockImplementation(async (organizationId, ids) => {
    const { rowCount } = await server.database.query(
      "select from erasure_passes where organization_id = $1 for update skip locked",
      [organizationId],
    );
    free = rowCount;
    await erase(organizationId, ids);
  });
  onTestFinished(() => spy.mockRestore());
  await clean();
  expect(free).toBe(1);
  const { rows } = await server.database.query("select from erased where cleaned_at is null");
  expect(rows).toEqual([]);
});

test("an organization whose clean-up fails does not stop that of others, and the error is thrown at the end", async () => {
  const initech = await openOrganization(server, "initech");
  const user = { external_id: "peggy" };
  for (const one of [sender, initech]) {
    await one.settle([one.traits({ user }, {})]);
    await one.settle([one.entry("incinerate", { user }, {})]);
  }
  const waiting = async () =>
    (await server.database.query("select from erased where cleaned_at is null and sequence > 0")).rowCount;
  expect(await waiting()).toBe(2);
  const spy = vi.spyOn(server.questions, "erase").mockRejectedValueOnce(new Error("The engine is away."));
  onTestFinished(() => spy.mockRestore());
  await expect(clean()).rejects.toThrow("The engine is away.");
  expect(await waiting()).toBe(1);
  await clean();
  expect(await waiting()).toBe(0);
});

test("without erased subjects there is nothing to do", async () => {
  const { rows } = await server.database.query("select 1 from erased where cleaned_at is null");
  expect(rows).toEqual([]);
  const before = await everywhere();
  await clean();
  expect(await everywhere()).toBe(before);
});
