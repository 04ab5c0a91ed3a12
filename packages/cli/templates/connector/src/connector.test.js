import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { runConnector, segmentRecord, startFakePlatform, userMessage } from "@muster/connector/testing";
import { createConnector } from "./create-connector.js";

const customers = segmentRecord({ id: "0198c2a4f1d020a1b2c3d4e5" });
let platform;
let running;
before(async () => {
  platform = await startFakePlatform({ connector: { private_settings: { synchronized_segments: [customers.id] } } });
  running = await runConnector(createConnector({ port: 0, organizations: [platform.url] }));
});
after(async () => {
  await running.close();
  await platform.close();
});

test("users of the chosen segments are marked, others are not", async () => {
  const answer = await platform.notify(`${running.url}/smart-notifier`, {
    channel: "user:update",
    messages: [
      userMessage({ user: { id: "0198c2a4f1d010a1b2c3d4e5" }, segments: [customers] }),
      userMessage({ user: { id: "0198c2a4f1d010a1b2c3d4e6" } }),
    ],
  });
  assert.equal(answer.status, 200);
  assert.deepEqual(
    platform.entries.map(({ type, asUser }) => [type, asUser]),
    [["traits", { id: "0198c2a4f1d010a1b2c3d4e5" }]],
  );
});

test("the status is ok while a segment is chosen", async () => {
  assert.deepEqual((await platform.call(`${running.url}/status`, { body: {} })).body, { status: "ok", messages: [] });
});
