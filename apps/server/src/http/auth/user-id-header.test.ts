import { createId } from "@muster/protocol";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openOrganization, Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

const ann = { user: { external_id: "ann" } };

let server: TestServer;
let sender: Sender;
let annId: string;
let foreignId: string;

beforeAll(async () => {
  server = await openTestServer({ AUTH_FAILURES_PER_MINUTE: "2" });
  sender = new Sender(server);
  await sender.settle([sender.traits(ann, { plan: "free" })]);
  annId = (await sender.user(ann.user)).id;
  const stranger = await openOrganization(server, "globex");
  await stranger.settle([stranger.traits(ann, {})]);
  foreignId = (await stranger.user(ann.user)).id;
});
afterAll(() => server.close());

const as = (userId: string) => ({ "Svc-User-Id": userId });

const doors: [string, (headers: Record<string, string>) => Promise<{ statusCode: number; body: string }>][] = [
  ["GET /me", (headers) => sender.call("GET", "/me", { headers })],
  ["GET /me/user_report", (headers) => sender.call("GET", "/me/user_report", { headers })],
  ["GET /me/segments", (headers) => sender.call("GET", "/me/segments", { headers })],
  ["PUT /me/traits", (headers) => sender.call("PUT", "/me/traits", { headers, payload: { plan: "pro" } })],
  ["POST /t", (headers) => sender.call("POST", "/t", { headers, payload: { event: "Opened" } })],
  ["POST /me/alias", (headers) => sender.call("POST", "/me/alias", { headers, payload: { anonymous_id: "a" } })],
  ["GET /app", (headers) => sender.call("GET", "/app", { headers })],
  ["POST /firehose", (headers) => sender.post([sender.traits(ann, {})], { headers })],
];

describe.for(doors)("%s", ([, knock]) => {
  test.each([
    ["no id", () => "ann", "is not the id of a user"],
    ["the id of no user", () => createId("account"), "is not the id of a user"],
    ["an unknown user", () => createId("user"), "There is no user"],
    ["a user of another organization", () => foreignId, "There is no user"],
  ])("refuses a Svc-User-Id that names %s, however often it comes", async (_name, id, message) => {
    for (let attempt = 0; attempt < 4; attempt++) {
      const answer = await knock(as(id()));
      expect([answer.statusCode, answer.body]).toEqual([401, expect.stringContaining(message)]);
      expect(answer.body).toContain("Svc-User-Id");
    }
  });

  test("takes the id of a user", async () => {
    expect((await knock(as(annId))).statusCode).toBeLessThan(300);
  });
});

test("the id of a user who was merged acts for the survivor", async () => {
  await sender.settle([sender.traits({ user: { anonymous_id: "browser" } }, {})]);
  const former = await sender.user({ anonymous_id: "browser" });
  await sender.settle([sender.entry("alias", ann, { anonymous_id: "browser" })]);
  expect((await sender.call("GET", "/me", { headers: as(former.id) })).json()).toMatchObject({ id: annId });
  const written = await sender.call("PUT", "/me/traits", { headers: as(former.id), payload: { merged: true } });
  await sender.waitFor(written.json().position);
  expect(await sender.user(ann.user)).toMatchObject({ traits_merged: true });
});

test("an erased user is not known any more", async () => {
  const bob = { user: { external_id: "bob" } };
  await sender.settle([sender.traits(bob, {})]);
  const { id } = await sender.user(bob.user);
  await sender.settle([sender.entry("incinerate", bob, {})]);
  expect((await sender.call("GET", "/me", { headers: as(id) })).statusCode).toBe(401);
});

test("a request without the header looks for no user", async () => {
  const query = vi.spyOn(server.database, "query");
  expect((await sender.call("GET", "/app")).statusCode).toBe(200);
  expect(query.mock.calls.map(([text]) => text).filter((text) => /\busers\b/.test(text))).toEqual([]);
  query.mockRestore();
});
