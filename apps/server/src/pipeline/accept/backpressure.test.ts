import { afterAll, beforeAll, expect, test } from "vitest";
import { openIdleServer } from "../../testing/idle-server.js";
import { Sender } from "../../testing/sender.js";
import type { TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  // No applier runs, so accepted entries stay in the backlog.
  server = await openIdleServer({ MAX_BACKLOG_ENTRIES: "1000", WAIT_LIMIT_MS: "300" });
  sender = new Sender(server);
});
afterAll(() => server.close());

test("a reader gets 504 when its position is not reached in time", async () => {
  const { position } = await sender.send([sender.traits({ user: { external_id: "1" } }, {})]);
  const answer = await sender.call("GET", "/org", { headers: { "Svc-Wait-For": position } });
  expect([answer.statusCode, answer.json().error.code]).toEqual([504, "wait_timeout"]);
});

test("with a full backlog, the gateway and single calls answer 503 with Retry-After and accept nothing", async () => {
  const full = Array.from({ length: 1_001 }, (_, index) => sender.traits({ user: { external_id: `${index}` } }, {}));
  await sender.send(full);
  // The backlog is looked up once a second.
  const one = () => sender.post([sender.traits({ user: { external_id: "one more" } }, { now: Date.now() })]);
  await expect.poll(async () => (await one()).statusCode, { timeout: 5_000 }).toBe(503);
  const answer = await one();
  expect([answer.headers["retry-after"], answer.json().error]).toEqual([
    "2",
    { code: "unavailable", message: expect.stringContaining("waiting to be applied"), details: [] },
  ]);
  const heads = () => server.database.query("select lane, position from log_heads order by lane");
  const before = (await heads()).rows;
  const user = { external_id: "1" };
  expect((await sender.callAs({ user }, "POST", "/t", { payload: { event: "X" } })).statusCode).toBe(503);
  expect((await one()).statusCode).toBe(503);

  await server.database.query(
    `insert into rejected_entries (organization_id, connector_id, code, message, entry)
     values ($1, $2, 'not_found', 'Nobody.', '{}')`,
    [server.first.organization.id, server.first.connector.id],
  );
  expect((await sender.call("POST", "/ingestion/rejected/retry", { payload: {} })).statusCode).toBe(503);
  // The entry that could not be accepted can still be retried.
  expect((await sender.call("GET", "/ingestion/rejected")).json()).toMatchObject([{ retried_at: null }]);
  expect((await heads()).rows).toEqual(before);
});
