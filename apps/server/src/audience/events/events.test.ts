import { createId } from "@muster/protocol";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openOrganization, Sender } from "../../testing/sender.js";
import { openTestAudience, type TestAudience } from "../../testing/test-audience.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
let audience: TestAudience;
let organizationId: string;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
  audience = openTestAudience(server);
  organizationId = server.first.organization.id;
  const user = { email: "ann@example.com" };
  await sender.settle([sender.track({ user }, "Visit", { properties: { path: "/", at: 1 } })]);
});
afterAll(() => server.close());

test("an event is found by its id in its own organization only", async () => {
  const [visit] = await sender.events({ event: "Visit" });
  expect(await audience.events.find(organizationId, String(visit?.id))).toMatchObject({ event: "Visit" });
  const globex = await openOrganization(server, "globex");
  expect(await audience.events.find(await globex.organizationId(), String(visit?.id))).toBeUndefined();
  expect(await audience.events.find(organizationId, createId("event"))).toBeUndefined();
});

test("the events of segments are listed with their properties, and all events in alphabetical order", async () => {
  await sender.call("POST", "/users_segments", { payload: { name: "All", query: {}, predicate: {} } });
  await vi.waitFor(
    async () =>
      expect((await audience.events.list(organizationId)).events).toMatchObject([
        {
          name: "Entered segment",
          properties: [
            { name: "segment_id", type: "string" },
            { name: "segment_name", type: "string" },
          ],
          count: 1,
          emitted: true,
        },
        {
          name: "Visit",
          properties: [
            { name: "at", type: "number" },
            { name: "path", type: "string" },
          ],
          count: 1,
          emitted: false,
        },
      ]),
    { timeout: 10_000, interval: 50 },
  );
});
