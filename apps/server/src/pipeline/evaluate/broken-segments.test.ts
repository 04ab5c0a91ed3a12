import { Refusal } from "@muster/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { Segment } from "../../storage/postgres/segments/segments.js";
import { QuestionTimeout } from "../../storage/questions/question-timeout.js";
import { findAll } from "../../testing/find-all.js";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";
import { blame } from "./broken-segments.js";

let server: TestServer;
let sender: Sender;
let organizationId: string;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
  organizationId = server.first.organization.id;
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => server.close());

async function createSegment(name: string, query: object): Promise<string> {
  const answer = await sender.call("POST", "/users_segments", { payload: { name, query, predicate: {} } });
  expect(answer.statusCode).toBe(201);
  return answer.json().id;
}

const segmentOf = async (id: string) => (await sender.call("GET", `/${id}`)).json();
const problems = async () => (await sender.call("GET", "/status")).json().problems;

/** How often somebody has entered and left a segment. */
async function moves(segmentId: string): Promise<string[]> {
  const events = await findAll(server, organizationId, "event", { term: { "properties.segment_id": segmentId } });
  return events.map(({ report }) => String(report.event));
}

async function setType(attribute: string, type: string): Promise<void> {
  await server.database.query("update attribute_definitions set type = $2 where name = $1", [attribute, type]);
}

/** Makes broken segments due for their next trial, and wakes the sweep with a new segment. */
async function tryAgain(name: string): Promise<void> {
  await server.database.query(
    "update segments set evaluated_at = now() - interval '2 minutes' where problem is not null",
  );
  await createSegment(name, { match_all: {} });
}

test("a segment whose query the types refuse is shown as broken with the reason, keeps its members, and recovers", async () => {
  const ann = { user: { external_id: "ann" } };
  await sender.settle([sender.traits(ann, { score: 10 })]);
  const id = await createSegment("Good", { range: { traits_score: { gt: 5 } } });
  const other = await createSegment("Any", { exists: { field: "traits_plan" } });
  await expect.poll(async () => (await segmentOf(id)).stats).toEqual({ users: 1 });
  expect(await segmentOf(id)).toMatchObject({ status: "ok", error: null });

  await setType("score", "boolean");
  await sender.settle([sender.traits(ann, { plan: "pro" })]);
  const broken = await segmentOf(id);
  expect(broken).toMatchObject({ status: "broken", error: expect.stringMatching(/^The query is refused\. /) });
  expect(broken.stats).toEqual({ users: 1 });
  expect(await moves(id)).toEqual(["Entered segment"]);
  expect((await segmentOf(other)).stats).toEqual({ users: 1 });
  expect(await problems()).toEqual([
    { kind: "segment", id, name: "Good", message: broken.error, since: expect.any(String) },
  ]);

  await setType("score", "numeric");
  await sender.settle([sender.traits(ann, { score: 1 })]);
  await tryAgain("Waker 1");
  await expect.poll(async () => (await segmentOf(id)).status, { timeout: 15_000 }).toBe("ok");
  await expect.poll(async () => (await segmentOf(id)).stats).toEqual({ users: 0 });
  expect((await moves(id)).sort()).toEqual(["Entered segment", "Left segment"]);
  expect(await problems()).toEqual([]);
});

test("a segment whose question takes too long does not hold up records, sweeps and other segments", async () => {
  const slow = await createSegment("Slow", { term: { "account.slow": "x" } });
  const quick = await createSegment("Quick", { term: { "account.quick": "x" } });
  const { changesOf, changesOfSegments, answer } = server.questions;
  const isSlow = (segments: readonly { id: string }[]) => segments.some(({ id }) => id === slow || id.includes("slow"));
  vi.spyOn(server.questions, "changesOf").mockImplementation(async (organization, segments, ...rest) => {
    if (isSlow(segments)) throw new QuestionTimeout(30);
    return changesOf(organization, segments, ...rest);
  });
  vi.spyOn(server.questions, "answer").mockImplementation(async (organization, asked, ...rest) => {
    if (isSlow(asked)) throw new QuestionTimeout(30);
    return answer(organization, asked, ...rest);
  });
  vi.spyOn(server.questions, "changesOfSegments").mockImplementation(async (organization, segments, ...rest) => {
    if (isSlow(segments)) throw new QuestionTimeout(30);
    return changesOfSegments(organization, segments, ...rest);
  });
  await sender.settle([
    sender.traits({ user: { external_id: "bea" }, account: { domain: "a.com" }, subject: "account" }, { quick: "x" }),
  ]);
  await expect.poll(async () => (await segmentOf(quick)).stats).toEqual({ users: 1 });
  const broken = await segmentOf(slow);
  expect(broken).toMatchObject({ status: "broken", error: "The question took longer than 30 seconds." });
  expect(await problems()).toMatchObject([{ kind: "segment", id: slow }]);

  vi.restoreAllMocks();
  await tryAgain("Waker 2");
  await expect.poll(async () => (await segmentOf(slow)).status, { timeout: 15_000 }).toBe("ok");
});

describe("an engine that refuses a question of a segment and answers again right after", () => {
  // Of a segment, only what the error is about is asked.
  const segment = { id: "segment" } as Segment;
  const questions = { ping: async () => {} };
  const refusal = (cause?: Error) => new Refusal("unavailable", "It does not answer.", { cause });

  test("was away for a moment, so the segment is not broken", async () => {
    const error = refusal(new Error("read ECONNRESET"));
    await expect(blame(segment, error, questions)).rejects.toBe(error);
  });

  test("has no memory for this one, so the segment is broken and the others go on", async () => {
    for (const cause of [
      new Error("Out of Memory Error: failed to pin block"),
      Object.assign(new Error("Memory limit"), { code: "241" }),
    ]) {
      expect(await blame(segment, refusal(cause), questions)).toMatchObject({ segment, problem: expect.any(String) });
    }
  });
});
