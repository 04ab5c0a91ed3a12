// @module-tag long
import type { UserClaims } from "@muster/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startWebServer, type WebServer } from "../../../../../testing/start-web-server.js";
import { call, ended, type JobAnswer, PATIENCE, runJob } from "../../testing/bulk.js";
import { Sender } from "../../testing/sender.js";
import { signInAs } from "../../testing/signed-in.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let web: WebServer;
let sender: Sender;
let files: Record<string, string>;

beforeAll(async () => {
  server = await openTestServer({ ALLOW_PRIVATE_NETWORK: "true" });
  sender = new Sender(server);
  web = await startWebServer((request, response) => response.end(files[request.url ?? ""]));
});
beforeEach(() => {
  files = {};
});
afterAll(async () => {
  await web.close();
  await server.close();
});

function importFile(records: readonly object[], parameters: object = {}, object = "users"): Promise<JobAnswer> {
  files["/file.json"] = records.map((record) => JSON.stringify(record)).join("\n");
  return runJob(server, `/import/${object}`, { url: `${web.url}/file.json`, format: "json", ...parameters });
}

async function request(id: string, body: object = {}): Promise<{ status: number; body: JobAnswer }> {
  const url = `/api/v1/${id}/revert`;
  const answer = await server.app.inject({ method: "POST", url, headers: server.operatorHeaders, payload: body });
  return { status: answer.statusCode, body: answer.json<JobAnswer>() };
}

/** Undoes a job and returns what was done. */
async function undo(id: string, body: object = {}) {
  const asked = await request(id, body);
  expect([asked.status, asked.body]).toEqual([201, expect.anything()]);
  const job = await ended(server, asked.body.id, PATIENCE);
  expect(job).toMatchObject({ type: "revert", status: "completed", error: null });
  return { id: job.id, result: job.result as Record<string, unknown> };
}

/** The values of a user with their times and writers. */
async function writesOf(external_id: string) {
  const { id } = await sender.user({ external_id });
  const answer = await sender.call("GET", `/${id}/attributes`);
  const { attributes } = answer.json<{
    attributes: { name: string; value: unknown; set_at: string; set_by: unknown }[];
  }>();
  return attributes.map(({ name, value, set_at, set_by }) => ({ name, value, set_at, set_by }));
}

/** How many events a user has, as its profile says. */
async function countsOf(claims: UserClaims): Promise<Record<string, number> | undefined> {
  const { rows } = await server.database.query<{ n: [Record<string, number>] | null }>(
    "select state -> 'n' as n from users where id = $1",
    [(await sender.user(claims)).id],
  );
  return rows[0]?.n?.[0];
}

const user = (external_id: string) => ({ user: { external_id } });
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

describe("undoing an import of users", () => {
  test("brings back what was there, with its time and its writer, and says so before", async () => {
    await sender.settle([sender.traits(user("u1"), { plan: "free", seats: 3 }, minutesAgo(60))]);
    const before = await writesOf("u1");
    const job = await importFile([{ userId: "u1", plan: "pro", city: "Oslo" }], { overwrite: true });
    const dry = await undo(job.id, { dry_run: true });
    expect(dry.result).toMatchObject({ dry_run: true, returned: 1, unset: 1, stayed: 0, subjects_removed: 0 });
    expect(dry.result.samples).toContainEqual(
      expect.objectContaining({ what: "returned", attribute: "plan", from: "pro", to: "free" }),
    );
    expect(await sender.user({ external_id: "u1" })).toMatchObject({ traits_plan: "pro" });
    const done = await undo(job.id);
    expect(done.result).toEqual({ ...dry.result, dry_run: false });
    const after = await sender.user({ external_id: "u1" });
    expect(after).toMatchObject({ traits_plan: "free", traits_seats: 3 });
    expect(after.traits_city ?? null).toBeNull();
    expect(await writesOf("u1")).toEqual(before);
    // A record that is late orders against the value as if the import had never been.
    await sender.settle([sender.traits(user("u1"), { plan: "late" }, minutesAgo(90))]);
    expect(await sender.user({ external_id: "u1" })).toMatchObject({ traits_plan: "free" });
    await sender.settle([sender.traits(user("u1"), { plan: "team" }, minutesAgo(30))]);
    expect(await sender.user({ external_id: "u1" })).toMatchObject({ traits_plan: "team" });
  });

  test("leaves what others have written since, and finds what lost against the import", async () => {
    await sender.settle([sender.traits(user("u2"), { a: "old", b: "old" }, minutesAgo(60))]);
    const job = await importFile([{ userId: "u2", a: "new", b: "new" }], { overwrite: true });
    await sender.settle([sender.traits(user("u2"), { a: "newest" })]);
    await sender.settle([sender.traits(user("u2"), { b: "between" }, minutesAgo(30))]);
    expect(await sender.user({ external_id: "u2" })).toMatchObject({ traits_a: "newest", traits_b: "new" });
    const { result } = await undo(job.id);
    expect(result).toMatchObject({ returned: 1, stayed: 1 });
    expect(await sender.user({ external_id: "u2" })).toMatchObject({ traits_a: "newest", traits_b: "between" });
  });

  test("removes whom nobody else knows, and undoing that brings them back under their ids", async () => {
    const job = await importFile([
      { userId: "n1", plan: "pro", account: { domain: "made.example" } },
      { userId: "n2", plan: "pro", email: "n2@example.com", account: { domain: "made.example" } },
      { userId: "n3", plan: "pro" },
    ]);
    await sender.settle([sender.traits(user("n3"), { note: "kept" })]);
    const first = await sender.user({ external_id: "n1" });
    const dry = await undo(job.id, { dry_run: true });
    const { id, result } = await undo(job.id);
    expect(result).toEqual({ ...dry.result, dry_run: false });
    expect(result).toMatchObject({ subjects_removed: 3, subjects_stayed: 1, unset: 1 });
    expect(await sender.isKnown({ external_id: "n1" })).toBe(false);
    const third = await sender.user({ external_id: "n3" });
    expect([third.traits_note, third.traits_plan ?? null]).toEqual(["kept", null]);
    const again = await undo(id);
    expect(again.result).toMatchObject({ subjects_restored: 3, returned: 1 });
    const { indexed_at: _then, account: _account, ...known } = first;
    expect(await sender.user({ external_id: "n1" })).toMatchObject(known);
    expect(await sender.user({ email: "n2@example.com" })).toMatchObject({ external_id: "n2", traits_plan: "pro" });
    const third2 = await undo(again.id);
    expect(third2.result).toMatchObject({ subjects_removed: 3 });
    expect(await sender.isKnown({ external_id: "n2" })).toBe(false);
  });

  test("takes back identifiers and links of known users", async () => {
    await sender.settle([
      sender.traits({ user: { email: "ann@example.com" }, account: { domain: "before.example" } }, {}, minutesAgo(60)),
    ]);
    const ann = await sender.user({ email: "ann@example.com" });
    const job = await importFile([{ userId: "wrong", email: "ann@example.com", account: { domain: "after.example" } }]);
    expect((await sender.user({ external_id: "wrong" })).id).toBe(ann.id);
    const { result } = await undo(job.id);
    expect(result).toMatchObject({ identifiers_removed: 1, links_returned: 1, subjects_removed: 1 });
    const after = await sender.user({ email: "ann@example.com" });
    expect(after).toMatchObject({ id: ann.id, external_id: null, account: { domain: "before.example" } });
    expect(await sender.isKnown({ external_id: "wrong" })).toBe(false);
  });

  test("of several imports takes back each by itself, in any order", async () => {
    await sender.settle([sender.traits(user("s1"), { plan: "zero" }, minutesAgo(60))]);
    const one = await importFile([{ userId: "s1", plan: "one" }], { overwrite: true });
    const two = await importFile([{ userId: "s1", plan: "two" }], { overwrite: true });
    expect((await undo(one.id)).result).toMatchObject({ stayed: 1, returned: 0 });
    expect(await sender.user({ external_id: "s1" })).toMatchObject({ traits_plan: "two" });
    await undo(two.id);
    expect(await sender.user({ external_id: "s1" })).toMatchObject({ traits_plan: "zero" });
  });
});

test("undoing an import of events removes them, with users that only they made, and they can be imported again", async () => {
  await sender.settle([sender.track(user("e1"), "Ordered", { event_id: "mine" })]);
  const events = [
    { userId: "e1", event: "Ordered", eventId: "theirs" },
    { userId: "e1", event: "Ordered", eventId: "over" },
    { userId: "e2", event: "Ordered" },
  ];
  const job = await importFile(events, {}, "events");
  await sender.settle([sender.track(user("e1"), "Ordered", { event_id: "over", n: 1 })]);
  expect(await sender.events({ event: "Ordered" })).toHaveLength(4);
  const dry = await undo(job.id, { dry_run: true });
  const { id, result } = await undo(job.id);
  expect(result).toEqual({ ...dry.result, dry_run: false });
  expect(result).toMatchObject({ events_removed: 2, events_stayed: 1, subjects_removed: 1 });
  expect((await sender.events({ event: "Ordered" })).map(({ event_id }) => event_id).sort()).toEqual(["mine", "over"]);
  expect(await sender.isKnown({ external_id: "e2" })).toBe(false);
  expect((await undo(id)).result).toMatchObject({ events_restored: 2, subjects_restored: 1 });
  expect(await sender.events({ event: "Ordered" })).toHaveLength(4);
});

test("an event whose id is in the file again, in a later micro-batch, is taken back once", async () => {
  await sender.settle([sender.track(user("d1"), "Paid", { event_id: "d1 own" })]);
  const rest = Array.from({ length: 5_000 }, (_, index) => ({ userId: "d3", event: "Paid", timestamp: 1e9 + index }));
  const twice = [
    { userId: "d1", event: "Paid", eventId: "d1 twice" },
    { userId: "d2", event: "Paid", eventId: "d2 twice" },
    { userId: "d2", event: "Paid", eventId: "d2 moved", timestamp: "2024-01-01" },
  ];
  const moved = { ...twice[2], timestamp: "2024-01-02" };
  const job = await importFile([...twice, ...rest, ...twice.slice(0, 2), moved], {}, "events");
  const { rowCount } = await server.database.query("select from change_writers where writer like '%' || $1", [job.id]);
  expect(rowCount).toBeGreaterThan(1);
  const dry = await undo(job.id, { dry_run: true });
  const { id, result } = await undo(job.id);
  expect(result).toEqual({ ...dry.result, dry_run: false });
  expect(result).toMatchObject({ events_removed: 5_003, events_stayed: 0, subjects_removed: 2 });
  expect(await sender.isKnown({ external_id: "d2" })).toBe(false);
  expect(await countsOf({ external_id: "d1" })).toEqual({ Paid: 1 });
  expect((await sender.events({ event: "Paid" })).map(({ event_id }) => event_id)).toEqual(["d1 own"]);
  expect((await undo(id)).result).toMatchObject({ events_restored: 5_003, subjects_restored: 2 });
  expect([await countsOf({ external_id: "d1" }), await countsOf({ external_id: "d2" })]).toEqual([
    { Paid: 2 },
    { Paid: 2 },
  ]);
});

test("events that go with their import are not counted any more, also by whom the user was merged with", async () => {
  const [ann, bob] = [{ user: { email: "ann@half.example" } }, user("half bob")];
  await sender.settle([ann, bob].map((who, index) => sender.track(who, "Paid", { event_id: `half ${index}` })));
  const [annId, bobId] = [(await sender.user(ann.user)).id, (await sender.user(bob.user)).id];
  const counts = async () => [await countsOf(ann.user), await countsOf(bob.user)];
  expect((await sender.call("POST", `/${annId}/alias`, { payload: bob.user })).statusCode).toBe(200);
  const [before, after] = [await importPaid("half bob", 2), await importPaid("half bob", 3)];
  expect(await countsOf(ann.user)).toEqual({ Paid: 7 });
  await undo(before.id);
  expect(await countsOf(ann.user)).toEqual({ Paid: 5 });
  const unmerged = await sender.call("POST", `/${annId}/unmerge`, { payload: { merged_id: bobId } });
  expect([unmerged.statusCode, unmerged.body]).toEqual([200, expect.any(String)]);
  expect(await counts()).toEqual([{ Paid: 1 }, { Paid: 4 }]);
  await undo(after.id);
  expect(await counts()).toEqual([{ Paid: 1 }, { Paid: 1 }]);
});

/** Imports as many events of a user. */
function importPaid(userId: string, count: number): Promise<JobAnswer> {
  const events = Array.from({ length: count }, (_, index) => ({ userId, event: "Paid", eventId: `${count} ${index}` }));
  return importFile(events, {}, "events");
}

test("an undo that stops after its last page repeats nothing", async () => {
  await sender.settle([sender.track(user("l1"), "Left", { event_id: "l1 own" })]);
  const job = await importFile([{ userId: "l1", event: "Left" }], {}, "events");
  // What a sequence has given stays given when its transaction fails.
  await server.database.query("create sequence completions");
  await server.database.query(`
    create function stop_once() returns trigger language plpgsql as $$
    begin
      if nextval('completions') = 1 then raise exception 'The process stops here.'; end if;
      return new;
    end $$`);
  await server.database.query(
    `create trigger stop before update on jobs for each row
     when (new.type = 'revert' and new.status = 'completed') execute function stop_once()`,
  );
  const { result } = await undo(job.id);
  await server.database.query("drop trigger stop on jobs");
  const { rows } = await server.database.query("select last_value::int as completions from completions");
  expect(rows).toEqual([{ completions: 2 }]);
  expect(result).toMatchObject({ events_removed: 1 });
  expect(await countsOf({ external_id: "l1" })).toEqual({ Left: 1 });
});

test("what a connector wrote in a range of time is taken back, and nothing else", async () => {
  const created = await server.app.inject({
    method: "POST",
    url: "/api/v1/connectors",
    headers: server.operatorHeaders,
    payload: { name: "CRM" },
  });
  const credentials = created.json<{ id: string; secret: string }>();
  const crm = new Sender(server, credentials);
  await crm.settle([crm.traits(user("c1"), { stage: "lead" })]);
  await sender.settle([sender.traits(user("c1"), { score: 1 })]);
  const from = new Date().toISOString();
  await crm.settle([crm.traits(user("c1"), { stage: "lost", score: 0 }), crm.traits(user("c2"), { stage: "x" })]);
  const to = new Date().toISOString();
  await crm.settle([crm.traits(user("c3"), { stage: "won" })]);
  const { result } = await undo(credentials.id, { from, to });
  expect(result).toMatchObject({ returned: 2, subjects_removed: 1 });
  expect(await sender.user({ external_id: "c1" })).toMatchObject({ traits_stage: "lead", traits_score: 1 });
  expect(await sender.isKnown({ external_id: "c2" })).toBe(false);
  expect(await sender.isKnown({ external_id: "c3" })).toBe(true);
});

describe("an undo is refused", () => {
  test("twice, of a dry run, of an extract, and for connectors", async () => {
    const job = await importFile([{ userId: "r1" }]);
    const dry = await importFile([{ userId: "r1" }], { dry_run: true });
    expect(await request(dry.id)).toMatchObject({ status: 409 });
    const asConnector = await call(server, "POST", `/${job.id}/revert`, {});
    expect(asConnector.status).toBe(403);
    await undo(job.id);
    expect(await request(job.id)).toMatchObject({ status: 409 });
    expect(await request(job.id, { from: 0 })).toMatchObject({ status: 400 });
    expect(await request(server.first.connector.id)).toMatchObject({ status: 400 });
    const extract = await runJob(server, "/extract/users", { url: null, format: "json", query: {} });
    expect(await request(extract.id)).toMatchObject({ status: 409 });
  });
});

describe("an undo of many", () => {
  const PEOPLE = 4_000;
  const people = (plan: string) => Array.from({ length: PEOPLE }, (_, index) => ({ userId: `many${index}`, plan }));
  const count = async (plan: string) => {
    const query = { bool: { must: [{ prefix: { external_id: "many" } }, { term: { plan } }] } };
    const answer = await call<{ pagination: { total: number } }>(server, "POST", "/search/user_reports", {
      query,
      per_page: 0,
    });
    return answer.body.pagination.total;
  };
  test("stops between pages when an owner cancels it, and for no editor; the next one does the rest, and nothing twice", async () => {
    await importFile(people("old"));
    const job = await importFile(people("new"), { overwrite: true });
    const gate = await closeGate(2);
    const first = await request(job.id);
    await gate.reached();
    const url = `/api/v1/${first.body.id}`;
    const { headers: editor } = await signInAs(server, "editor");
    const refused = await server.app.inject({ method: "DELETE", url, headers: editor });
    const canceled = await server.app.inject({ method: "DELETE", url, headers: server.operatorHeaders });
    await gate.open();
    expect([refused.statusCode, canceled.statusCode]).toEqual([403, 200]);
    const stopped = await ended(server, first.body.id, PATIENCE);
    expect(stopped).toMatchObject({ status: "canceled", progress: { processed: 2_000 } });
    await expect.poll(() => count("old"), PATIENCE).toBe(2_000);
    const { result } = await undo(job.id);
    expect(result).toMatchObject({ returned: PEOPLE - 2_000 });
    expect([await count("old"), await count("new")]).toEqual([PEOPLE, 0]);
  });

  test("of events that was stopped takes none twice when it is asked for again, nor does the undo of it", async () => {
    await sender.settle([sender.track(user("g1"), "Read", { event_id: "g1 own" })]);
    const events = Array.from({ length: 2_200 }, (_, index) => ({
      userId: "g1",
      event: "Read",
      timestamp: 1e9 + index,
      ...(index % 2 === 0 ? {} : { eventId: `g1 ${index}` }),
    }));
    const job = await importFile(events, {}, "events");
    const reads = async () => (await countsOf({ external_id: "g1" }))?.Read ?? 0;
    expect(await reads()).toBe(2_201);
    const stopped = await stopAfter(2, job.id);
    const left = await reads();
    expect([left > 1, left < 2_201]).toEqual([true, true]);
    const rest = await undo(job.id);
    expect(rest.result).toMatchObject({ events_removed: left - 1, events_stayed: 0 });
    expect(await reads()).toBe(1);
    expect((await undo(rest.id)).result).toMatchObject({ events_restored: left - 1 });
    await stopAfter(1, stopped);
    const back = await reads();
    expect([back > left, back < 2_201]).toEqual([true, true]);
    expect((await undo(stopped)).result).toMatchObject({ events_restored: 2_201 - back, events_stayed: 0 });
    expect(await reads()).toBe(2_201);
    expect((await undo(job.id)).result).toMatchObject({ events_removed: 2_200, events_stayed: 0 });
    expect(await reads()).toBe(1);
  });

  /** Undoes a job, cancels the undo after so many pages and returns its id. */
  async function stopAfter(pages: number, id: string): Promise<string> {
    const gate = await closeGate(pages);
    const asked = await request(id);
    await gate.reached();
    const url = `/api/v1/${asked.body.id}`;
    await server.app.inject({ method: "DELETE", url, headers: server.operatorHeaders });
    await gate.open();
    const { status } = await ended(server, asked.body.id, PATIENCE);
    expect(status).toBe("canceled");
    return asked.body.id;
  }

  /** An undo waits before it stores the page after so many. */
  async function closeGate(pages: number) {
    const { database } = server;
    await database.query(`
      create or replace function wait_at_gate() returns trigger language plpgsql as $$
      begin
        if (select count(*) from change_writers where writer = new.writer) >= ${pages} then
          perform pg_advisory_xact_lock_shared(4711);
        end if;
        return new;
      end $$`);
    await database.query(
      "create trigger gate before insert on change_writers for each row execute function wait_at_gate()",
    );
    let release = () => {};
    const isOpen = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isClosed = () => {};
    const closed = new Promise<void>((resolve) => {
      isClosed = resolve;
    });
    const held = database.transaction(async (tx) => {
      await tx.query("select pg_advisory_xact_lock(4711)");
      isClosed();
      await isOpen;
    });
    await closed;
    return {
      reached: () =>
        expect
          .poll(async () => {
            const { rows } = await database.query("select from pg_locks where locktype = 'advisory' and not granted");
            return rows.length;
          }, PATIENCE)
          .toBe(1),
      async open() {
        release();
        await held;
        await database.query("drop trigger gate on change_writers");
      },
    };
  }
});
