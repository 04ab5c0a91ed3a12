import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createTrustedFetch, type TrustedFetch } from "./trusted-fetch.js";

let server: Server;
let fetch: TrustedFetch;

afterEach(async () => {
  fetch.close();
  server.closeAllConnections();
  server.close();
  await once(server, "close");
});

async function serve(handler: RequestListener): Promise<string> {
  fetch = createTrustedFetch();
  server = createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("a local address is reached, and calls one after the other share a connection", async () => {
  const ports = new Set<number | undefined>();
  const url = await serve((request, response) => {
    ports.add(request.socket.remotePort);
    response.end("hello");
  });
  for (let call = 0; call < 3; call++) expect(await (await fetch(url)).text()).toBe("hello");
  expect(ports.size).toBe(1);
});

test("a redirect is returned as the answer and not followed", async () => {
  let calls = 0;
  const url = await serve((_request, response) => {
    calls++;
    response.writeHead(302, { location: "http://169.254.169.254/" }).end();
  });
  const answer = await fetch(url);
  expect([answer.status, calls]).toEqual([302, 1]);
  answer.body.destroy();
});
