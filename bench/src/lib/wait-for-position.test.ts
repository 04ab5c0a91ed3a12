import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { waitForPosition } from "./wait-for-position.js";

let server: Server;
let url: string;
let statuses: number[];
let received: { path: string | undefined; headers: IncomingHttpHeaders }[];
beforeEach(async () => {
  statuses = [];
  received = [];
  server = createServer((request, response) => {
    received.push({ path: request.url, headers: request.headers });
    response.writeHead(statuses.shift() ?? 200).end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
});

test("the request names the position and carries the credentials", async () => {
  await waitForPosition({ url, connectorId: "id", secret: "secret" }, "l7");
  expect(received).toEqual([
    {
      path: "/api/v1/app",
      headers: expect.objectContaining({ "svc-app-id": "id", "svc-access-token": "secret", "svc-wait-for": "l7" }),
    },
  ]);
});

test("a wait that ends with a timeout of the server is repeated", async () => {
  statuses = [504, 504, 200];
  await waitForPosition({ url, connectorId: "id", secret: "secret" }, "l7");
  expect(received).toHaveLength(3);
});

test("any other answer is an error", async () => {
  statuses = [401];
  const waiting = waitForPosition({ url, connectorId: "id", secret: "wrong" }, "l7");
  await expect(waiting).rejects.toThrow("Waiting for l7 answered 401.");
});
