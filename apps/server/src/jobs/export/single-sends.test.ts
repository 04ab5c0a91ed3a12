import { createId } from "@muster/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ConnectorApp, smartManifest } from "../../testing/connector-app.js";
import { openOrganization, Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
let app: ConnectorApp;
let connectorId: string;
let userId: string;

beforeAll(async () => {
  server = await openTestServer();
  await server.listen();
  sender = new Sender(server);
  await sender.settle([sender.traits({ user: { external_id: "ann" } }, { plan: "pro" })]);
  ({ id: userId } = await sender.user({ external_id: "ann" }));
  app = await ConnectorApp.open(
    smartManifest({
      name: "Mailer",
      subscriptions: [{ url: "/smart-notifier", conditions: { channels: { only: ["user:update"] } } }],
    }),
  );
  ({ id: connectorId } = await app.install(server));
});
afterAll(async () => {
  await server.close();
  await app.close();
});

function send(id: string, to: string, headers = server.operatorHeaders) {
  return server.app.inject({ method: "POST", url: `/api/v1/${id}/send`, headers, payload: { connector_id: to } });
}

test("a user is sent to one connector as it is now, marked as an export, each time it is asked for", async () => {
  for (const count of [1, 2]) {
    const answer = await send(userId, connectorId);
    expect([answer.statusCode, answer.json()]).toEqual([202, { queued: true }]);
    await app.until(({ userMessages }) => userMessages.length === count);
  }
  expect(app.notifications[0]).toMatchObject({ channel: "user:update", is_export: true });
  expect(app.userMessages[0]?.user).toMatchObject({ external_id: "ann", traits_plan: "pro" });
  const ids = app.userMessages.map(({ message_id }) => message_id);
  expect(new Set(ids).size).toBe(2);
});

test("a connector that takes no such messages, or is disabled, is refused with the reason", async () => {
  await sender.settle([sender.traits({ user: { external_id: "bob" }, account: { domain: "acme.example" } }, {})]);
  const { account_id: accountId } = await sender.user({ external_id: "bob" });
  const refused = await send(String(accountId), connectorId);
  expect([refused.statusCode, refused.body]).toEqual([
    409,
    expect.stringContaining("takes no messages about accounts"),
  ]);
  const headers = server.operatorHeaders;
  const url = `/api/v1/${connectorId}`;
  await server.app.inject({ method: "PUT", url, headers, payload: { enabled: false } });
  const disabled = await send(userId, connectorId);
  expect([disabled.statusCode, disabled.body]).toEqual([409, expect.stringContaining("is disabled")]);
});

test("nobody sends the users of another organization, and a connector sends to itself alone", async () => {
  const stranger = await openOrganization(server, "globex");
  expect((await send(userId, "app", stranger.headers)).statusCode).toBe(404);
  expect((await send(userId, connectorId, sender.headers)).statusCode).toBe(403);
  expect((await send(userId, createId("connector"))).statusCode).toBe(404);
  expect((await send(createId("user"), connectorId)).statusCode).toBe(404);
});
