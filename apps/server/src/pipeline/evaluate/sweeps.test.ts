import { EventEmitter, once } from "node:events";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { sized } from "../../../../../testing/test-length.js";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
let count = 0;
let created = 0;
let own: string;

beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
});
beforeEach(() => {
  own = `t${count++}`;
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => server.close());

const person = (name: string) => ({ user: { external_id: `${own}-${name}` } });

async function createSegment(query: object): Promise<string> {
  const answer = await sender.call("POST", "/users_segments", {
    payload: { name: `Segment ${created++}`, query, predicate: {} },
  });
  expect(answer.statusCode).toBe(201);
  return answer.json<{ id: string }>().id;
}

async function untilEvaluated(...ids: string[]): Promise<void> {
  await vi.waitFor(
    async () => {
      const { rows } = await server.database.query(
        "select id from segments where id = any($1) and evaluated_revision < revision",
        [ids],
      );
      expect(rows).toEqual([]);
    },
    { timeout: 30_000, interval: 20 },
  );
}

async function sizeOf(id: string): Promise<unknown> {
  return (await sender.object(id)).stats;
}

async function moves(id: string): Promise<string[]> {
  const payload = { query: { term: { "properties.segment_id": id } }, sort: { created_at: "asc" }, per_page: 100 };
  const answer = await sender.call("POST", "/search/events", { payload });
  return answer.json<{ data: { event: string }[] }>().data.map(({ event }) => event);
}

/** Lets the engine answer the next scans only after `release`. */
function holdScans() {
  const { changesOfSegments } = server.questions;
  const steps = new EventEmitter();
  const isReleased = once(steps, "release");
  vi.spyOn(server.questions, "changesOfSegments").mockImplementation(async (...asked) => {
    const answer = await changesOfSegments(...asked);
    steps.emit("begun");
    await isReleased;
    return answer;
  });
  return { hasBegun: once(steps, "begun"), release: () => steps.emit("release") };
}

describe("while the engine scans everybody for a segment", () => {
  test("records become searchable, and move between other segments", async () => {
    const quick = await createSegment({ term: { [`${own}_plan`]: "pro" } });
    await untilEvaluated(quick);
    const scan = holdScans();
    const slow = await createSegment({ exists: { field: `${own}_plan` } });
    await scan.hasBegun;
    await sender.settle([sender.traits(person("ann"), { [`${own}_plan`]: "pro" })]);
    expect(await sizeOf(quick)).toEqual({ users: 1 });
    scan.release();
    await untilEvaluated(slow);
    expect([await sizeOf(slow), await moves(slow)]).toEqual([{ users: 1 }, ["Entered segment"]]);
  });

  test("a subject that a record moves meanwhile gets no event of what the scan saw before", async () => {
    await sender.settle([sender.traits(person("ann"), { [`${own}_plan`]: "pro" })]);
    await sender.settle([sender.traits(person("bob"), { [`${own}_plan`]: "pro" })]);
    const scan = holdScans();
    const id = await createSegment({ term: { [`${own}_plan`]: "pro" } });
    await scan.hasBegun;
    await sender.settle([sender.traits(person("ann"), { [`${own}_plan`]: "free" })]);
    await sender.settle([sender.traits(person("cat"), { [`${own}_plan`]: "pro" })]);
    scan.release();
    await untilEvaluated(id);
    expect([await sizeOf(id), await moves(id)]).toEqual([{ users: 2 }, ["Entered segment", "Entered segment"]]);
  });

  test("an edit of the segment takes effect, and nobody moves by the former query", async () => {
    await sender.settle([sender.traits(person("ann"), { [`${own}_plan`]: "pro" })]);
    await sender.settle([sender.traits(person("bob"), { [`${own}_plan`]: "free" })]);
    const scan = holdScans();
    const id = await createSegment({ term: { [`${own}_plan`]: "pro" } });
    await scan.hasBegun;
    await sender.call("PUT", `/${id}`, { payload: { query: { term: { [`${own}_plan`]: "free" } } } });
    scan.release();
    await untilEvaluated(id);
    expect([await sizeOf(id), await moves(id)]).toEqual([{ users: 1 }, ["Entered segment"]]);
  });
});

test("a segment that is edited while very many move by its former query is asked about anew", async () => {
  await sender.settle([sender.traits(person("ann"), { [`${own}_plan`]: "pro" })]);
  await sender.settle([sender.traits(person("bob"), { [`${own}_plan`]: "free" })]);
  const { changesOfSegments } = server.questions;
  const steps = new EventEmitter();
  const [hasBegun, isReleased] = [once(steps, "begun"), once(steps, "release")];
  // As many as one scan brings, so that there may be more of them.
  const strangers = (segmentId: string) =>
    Array.from({ length: 100_000 }, (_, n) => ({ id: String(n).padStart(24, "f"), entered: [segmentId], left: [] }));
  vi.spyOn(server.questions, "changesOfSegments").mockImplementation(async (...asked) => {
    const answer = await changesOfSegments(...asked);
    const former = asked[1].find(({ query }) => JSON.stringify(query).includes('"pro"'));
    if (!former) return answer;
    steps.emit("begun");
    await isReleased;
    return [...answer, ...strangers(former.id)];
  });
  const id = await createSegment({ term: { [`${own}_plan`]: "pro" } });
  await hasBegun;
  await sender.call("PUT", `/${id}`, { payload: { query: { term: { [`${own}_plan`]: "free" } } } });
  steps.emit("release");
  await untilEvaluated(id);
  expect([await sizeOf(id), await moves(id)]).toEqual([{ users: 1 }, ["Entered segment"]]);
});

test("a new segment is evaluated at once, although hundreds that change with time are due", {
  timeout: 90_000,
}, async () => {
  await sender.settle([sender.track(person("ann"), `${own} seen`)]);
  const within = (days: number) => ({
    has_child: {
      type: "event",
      query: {
        bool: { must: [{ term: { event: `${own} seen` } }, { range: { created_at: { gte: `now-${days}d` } } }] },
      },
    },
  });
  const many: string[] = [];
  for (let days = 1; days <= sized(120, 300); days++) many.push(await createSegment(within(days)));
  await untilEvaluated(...many);
  expect(await Promise.all([many[0]!, many.at(-1)!].map(sizeOf))).toEqual([{ users: 1 }, { users: 1 }]);

  await server.database.query("update segments set evaluated_at = now() - interval '1 hour' where changes_with_time");
  const asked = vi.spyOn(server.questions, "changesOfSegments");
  const begunAt = Date.now();
  const id = await createSegment({ exists: { field: `${own}_other` } });
  await untilEvaluated(id);
  expect(asked.mock.calls[0]?.[1].map((segment) => segment.id)).toEqual([id]);
  // Nobody has passed a moment that they name, so all of them are true again without a scan.
  await vi.waitFor(
    async () => {
      const { rows } = await server.database.query<{ stale: number }>(
        "select count(*)::integer as stale from segments where id = any($1) and evaluated_at < $2",
        [many, new Date(begunAt)],
      );
      expect(rows).toEqual([{ stale: 0 }]);
    },
    { timeout: 30_000, interval: 50 },
  );
  expect(asked).toHaveBeenCalledTimes(1);
});

test("what the engine answers while it is filled anew is asked again", async () => {
  await sender.settle([sender.traits(person("ann"), { [`${own}_plan`]: "pro" })]);
  const steps = new EventEmitter();
  const [hasBegun, isFilled] = [once(steps, "begun"), once(steps, "filled")];
  const scan = vi.spyOn(server.questions, "changesOfSegments").mockImplementationOnce(async () => {
    steps.emit("begun");
    await isFilled;
    // An engine that was just emptied finds nobody.
    return [];
  });
  const id = await createSegment({ term: { [`${own}_plan`]: "pro" } });
  await hasBegun;
  const rebuild = (method: "GET" | "POST") =>
    server.app.inject({
      method,
      url: "/api/v1/rebuild",
      headers: { ...server.operatorHeaders, "Svc-Organization": "default" },
      ...(method === "POST" ? { payload: {} } : {}),
    });
  expect((await rebuild("POST")).statusCode).toBe(202);
  const phase = async () => (await rebuild("GET")).json<{ phase: string }[]>()[0]?.phase;
  await expect.poll(phase, { timeout: 20_000 }).toBe("done");
  steps.emit("filled");
  await untilEvaluated(id);
  expect([await sizeOf(id), await moves(id)]).toEqual([{ users: 1 }, ["Entered segment"]]);
  expect(scan.mock.calls.length).toBeGreaterThan(1);
});

describe("segments that count moves", () => {
  test("are true after the move, and after a move that follows from it", async () => {
    const entered = (segmentId: string) => ({
      has_child: {
        type: "event",
        query: {
          bool: { must: [{ term: { event: "Entered segment" } }, { term: { "properties.segment_id": segmentId } }] },
        },
      },
    });
    const first = await createSegment({ term: { [`${own}_plan`]: "pro" } });
    const second = await createSegment(entered(first));
    const third = await createSegment(entered(second));
    await untilEvaluated(first, second, third);
    await sender.settle([sender.traits(person("ann"), { [`${own}_plan`]: "pro" })]);
    expect(await Promise.all([first, second, third].map(sizeOf))).toEqual([{ users: 1 }, { users: 1 }, { users: 1 }]);
  });

  test("are true at the end of a chain that is longer than one step follows", async () => {
    const chain = [await createSegment({ term: { [`${own}_plan`]: "pro" } })];
    for (let link = 1; link < 14; link++) chain.push(await createSegment({ term: { segment_ids: chain.at(-1) } }));
    await untilEvaluated(...chain);
    await sender.settle([sender.traits(person("ann"), { [`${own}_plan`]: "pro" })]);
    await vi.waitFor(
      async () => expect(await Promise.all(chain.map(sizeOf))).toEqual(chain.map(() => ({ users: 1 }))),
      { timeout: 30_000, interval: 100 },
    );
  });
});

test("users of an account with very many are moved by a scan, all of them once", { timeout: 60_000 }, async () => {
  const id = await createSegment({ term: { [`account.${own}_tier`]: "gold" } });
  await untilEvaluated(id);
  const account = { account: { external_id: own } };
  const users = Array.from({ length: 2_100 }, (_, index) => index);
  for (let start = 0; start < users.length; start += 500) {
    await sender.settle(
      users
        .slice(start, start + 500)
        .map((index) => sender.traits({ ...person(String(index)), ...account, subject: "account" }, {})),
    );
  }
  await sender.settle([sender.traits(account, { [`${own}_tier`]: "gold" })]);
  await vi.waitFor(async () => expect(await sizeOf(id)).toEqual({ users: 2_100 }), { timeout: 30_000, interval: 100 });
  const payload = { query: { term: { "properties.segment_id": id } }, per_page: 0 };
  expect((await sender.call("POST", "/search/events", { payload })).json().pagination.total).toBe(2_100);
});
