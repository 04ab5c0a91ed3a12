import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestServer, type TestServer } from "../testing/test-server.js";

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.close());

test("a connector reads itself with its id and secret", async () => {
  const answer = await server.app.inject({ url: "/api/v1/app", headers: server.connectorHeaders });
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toMatchObject({
    id: server.first.connector.id,
    type: "ship",
    secret: server.first.connector.secret,
  });
});
