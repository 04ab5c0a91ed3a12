import { afterAll, beforeAll, expect, test } from "vitest";
import { startWebServer, type WebServer } from "../../../../../testing/start-web-server.js";
import { ended, type JobAnswer, PATIENCE, runJob } from "../../testing/bulk.js";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let web: WebServer;
let sender: Sender;
let file = "";

beforeAll(async () => {
  server = await openTestServer({ ALLOW_PRIVATE_NETWORK: "true" });
  sender = new Sender(server);
  web = await startWebServer((_request, response) => response.end(file));
});
afterAll(async () => {
  await web.close();
  await server.close();
});

async function done(url: string, payload: object): Promise<string> {
  const headers = server.operatorHeaders;
  const answer = await server.app.inject({ method: "POST", url: `/api/v1${url}`, headers, payload });
  expect([answer.statusCode, answer.body]).toEqual([201, expect.any(String)]);
  const { id, status, error } = await ended(server, answer.json<JobAnswer>().id, PATIENCE);
  expect([status, error]).toEqual(["completed", null]);
  return id;
}

test("what an undo brings back has no attribute that was deleted since, and the type that one got since", async () => {
  await sender.settle([sender.traits({ user: { external_id: "old" } }, { note: "x" })]);
  file = ["old", "new"].map((userId) => JSON.stringify({ userId, gone: "g", size: "12" })).join("\n");
  const job = await runJob(server, "/import/users", { url: web.url, format: "json" });
  const undone = await done(`/${job.id}/revert`, {});
  expect(await sender.isKnown({ external_id: "new" })).toBe(false);
  await done("/attributes/delete", { object: "users", name: "gone" });
  await done("/attributes/convert", { object: "users", name: "size", type: "numeric" });
  await done(`/${undone}/revert`, {});
  for (const external_id of ["old", "new"]) {
    const { traits_gone = null, traits_size } = await sender.user({ external_id });
    expect([external_id, traits_gone, traits_size]).toEqual([external_id, null, 12]);
  }
  const { rows } = await server.database.query(`select id from users where state::text like '%"gone"%'`);
  expect(rows).toEqual([]);
});

test("what is computed follows an undo, and nobody counts as known because of it", async () => {
  const computed = async (name: string, compute: object) => {
    const payload = { target: "user", name, compute };
    const made = await sender.call("POST", "/computed_attributes", { payload });
    expect([made.statusCode, made.body]).toEqual([201, expect.any(String)]);
  };
  await sender.settle([sender.traits({ user: { email: "known@example.com" } }, { plan: "free" })]);
  await computed("label", { formula: 'plan + "!"' });
  await computed("orders", { count: { event: "Ordered" } });
  const label = async (email: string) => (await sender.user({ email })).traits_label;
  file = ["known", "made"]
    .map((name) => JSON.stringify({ userId: `${name} 1`, email: `${name}@example.com`, plan: "pro" }))
    .join("\n");
  const job = await runJob(server, "/import/users", { url: web.url, format: "json", overwrite: true });
  expect([await label("known@example.com"), await label("made@example.com")]).toEqual(["pro!", "pro!"]);
  const undone = await done(`/${job.id}/revert`, {});
  expect(await label("known@example.com")).toBe("free!");
  expect(await sender.isKnown({ external_id: "known 1" })).toBe(false);
  expect(await sender.isKnown({ email: "made@example.com" })).toBe(false);
  await done(`/${undone}/revert`, {});
  expect([await label("known@example.com"), await label("made@example.com")]).toEqual(["pro!", "pro!"]);
  expect(await sender.user({ external_id: "made 1" })).toMatchObject({ traits_orders: 0 });
});
