import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { runConnector, startFakePlatform, userMessage } from "@muster/connector/testing";
import { startCrm } from "../crm.js";
import { createConnector } from "./create-connector.js";

const ada = { id: "0198c2a4f1d010a1b2c3d4e5", email: "ada@example.com", traits_plan: "pro" };
let crm;
let platform;
let running;
before(async () => {
  crm = await startCrm(0, "key-1");
  platform = await startFakePlatform({ connector: { private_settings: { api_url: crm.url, api_key: "key-1" } } });
  const hostSecret = "a secret of this test";
  running = await runConnector(createConnector({ port: 0, organizations: [platform.url], hostSecret }));
  await platform.install(running.url); // the settings get the defaults of the manifest
});
after(async () => {
  await running.close();
  await platform.close();
  await crm.close();
});
beforeEach(() => {
  platform.entries.length = 0;
  crm.contacts.clear();
  platform.connector.private_settings.api_key = "key-1";
});

const notify = (channel, message) => platform.notify(`${running.url}/smart-notifier`, { channel, messages: [message] });

test("a user becomes a contact, and gets its id", async () => {
  const answer = await notify("user:update", userMessage({ user: ada }));
  assert.equal(answer.body.flow_control.type, "next");
  assert.deepEqual([...crm.contacts.values()], [{ id: "c1", email: "ada@example.com", plan: "pro" }]);
  assert.deepEqual(platform.entries, [
    { type: "traits", body: { "crm/id": "c1" }, subjectType: "user", asUser: { id: ada.id } },
  ]);
});

test("what the connector wrote itself is not sent again", async () => {
  const user = { ...ada, "traits_crm/id": "c1" };
  await notify("user:update", userMessage({ user, changes: { user: { "traits_crm/id": [null, "c1"] } } }));
  assert.equal(crm.contacts.size, 0);
});

test("while the API key is wrong, the messages wait for other settings", async () => {
  platform.connector.private_settings.api_key = "wrong";
  const answer = await notify("user:update", userMessage({ user: ada }));
  assert.deepEqual(answer.body.flow_control, { type: "retry", in: 3_600_000, until: "ship:update" });
});

test("a contact that the CRM refuses is logged, and does not stop the others", async () => {
  const answer = await notify("user:update", userMessage({ user: { ...ada, email: "nobody" } }));
  assert.equal(answer.body.flow_control.type, "next");
  assert.equal(platform.entries.length, 0);
});

test("a webhook sets the stage of the user, and records an event", async () => {
  const { body: address } = await platform.call(`${running.url}/webhook-address`, { body: {} });
  const contact = { id: "c1", email: "ada@example.com", stage: "won" };
  const answer = await fetch(address.message, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ contact }),
  });
  assert.equal(answer.status, 200);
  const asUser = { email: "ada@example.com" };
  assert.deepEqual(
    platform.entries.map((entry) => [entry.type, entry.asUser]),
    [
      ["traits", asUser],
      ["track", asUser],
    ],
  );
  assert.deepEqual(platform.entries[0].body, { "crm/id": "c1", "crm/stage": "won" });
});

test("without a key the status asks for it", async () => {
  platform.connector.private_settings.api_key = "";
  await notify("ship:update", platform.connector);
  const { body } = await platform.call(`${running.url}/status`, { body: {} });
  assert.equal(body.status, "setupRequired");
});
