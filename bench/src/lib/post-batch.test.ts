import { once } from "node:events";
import { Agent, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { postBatch } from "./post-batch.js";

test("a batch is posted to the gateway, and its status and position are returned", async () => {
  const received: unknown[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    received.push({ method, url, secret: headers["svc-access-token"], body: await text(request) });
    response.writeHead(200, { "svc-position": "l3" }).end("{}");
  }).listen(0, "127.0.0.1");
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => {
    agent.destroy();
    server.close();
  });
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const receipt = await postBatch(agent, { url, connectorId: "id", secret: "secret" }, '{"batch":["é"]}');
  expect(receipt).toEqual({ status: 200, position: "l3" });
  expect(received).toEqual([{ method: "POST", url: "/firehose", secret: "secret", body: '{"batch":["é"]}' }]);
});
