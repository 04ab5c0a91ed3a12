import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.close());
afterEach(() => vi.restoreAllMocks());

let loads = 0;

/** What the page says about each part, when it is loaded some time after it was loaded before. */
async function load() {
  const now = performance.now.bind(performance);
  loads += 1;
  const aheadMs = loads * 10_000;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + aheadMs);
  const answer = await server.app.inject("/status");
  clock.mockRestore();
  const parts = [...answer.body.matchAll(/<li class="\w+"><span>(.+)<\/span><strong>(.+)<\/strong>/g)];
  return { answer, parts: Object.fromEntries(parts.map(([, name, state]) => [name, state])) };
}

test("a server that works says so, without a sign-in, scripts or anything from elsewhere", async () => {
  const { answer, parts } = await load();
  expect(answer.statusCode).toBe(200);
  expect(answer.body).toContain('<h1 class="works">Everything works</h1>');
  expect(parts).toEqual({
    "Receiving records": "works",
    "Applying records to profiles": "works",
    "Searches and segments": "works",
    "Sending to connectors": "works",
  });
  expect(answer.headers["content-security-policy"]).toMatch(
    /^default-src 'none'; style-src 'sha256-[^;]+'; img-src 'self';/,
  );
  expect(answer.body).not.toMatch(/<script|https?:\/\/|style=/);
});

test("an engine that is away is something that does not work, for people and for programs", async () => {
  vi.spyOn(server.questions, "ping").mockRejectedValue(new Error("The engine is down."));
  const { answer, parts } = await load();
  expect(answer.statusCode).toBe(503);
  expect(parts).toMatchObject({ "Receiving records": "works", "Searches and segments": "does not work" });
  expect(answer.body).not.toContain("The engine is down.");
});

test("without PostgreSQL nothing works, and the page says that nothing is lost", async () => {
  vi.spyOn(server.database, "query").mockRejectedValue(new Error("PostgreSQL is away."));
  const { answer, parts } = await load();
  expect(answer.statusCode).toBe(503);
  expect(new Set(Object.values(parts))).toEqual(new Set(["does not work"]));
  expect(answer.body).toContain("Records that were accepted are not lost.");
});

test("a stage that fails makes its part late, and no name or figure is shown", async () => {
  await server.database.query(
    "insert into stage_problems (organization_id, stage, message) select id, 'project', 'Acme has 4242 users.' from organizations",
  );
  const { answer, parts } = await load();
  expect(answer.statusCode).toBe(200);
  expect(parts).toMatchObject({ "Applying records to profiles": "works", "Searches and segments": "late" });
  expect(answer.body).not.toMatch(/Acme|4242/);
});

test("the engines are not asked again for everybody who loads the page", async () => {
  const ping = vi.spyOn(server.questions, "ping");
  await Promise.all(Array.from({ length: 20 }, () => server.app.inject("/status")));
  expect(ping.mock.calls.length).toBeLessThanOrEqual(1);
});
