import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createTrustedFetch, type TrustedFetch } from "./trusted-fetch.js";

let fetch: TrustedFetch;

async function serve(handler: RequestListener): Promise<string> {
  fetch = createTrustedFetch();
  const server = createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    fetch.close();
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
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

test("a destination that is not allowed or not installed is not called, whoever names it, and its process is not started", async () => {
  let starts = 0;
  const socket = async () => {
    starts++;
    return "/nowhere/socket";
  };
  const limited = createTrustedFetch({
    bundled: { socket },
    destinations: { socket },
    allowedDestinations: ["hubspot", "braze"],
    isInstalled: (name) => name === "hubspot",
  });
  const refused = limited("muster://slack.destinations/smart-notifier", { method: "POST" });
  await expect(refused).rejects.toThrow('does not allow the destination "slack" (DESTINATIONS)');
  const missing = limited("muster://braze.destinations/smart-notifier", { method: "POST" });
  await expect(missing).rejects.toThrow('no destination "braze" is installed');
  expect(starts).toBe(0);
  // The file of the socket is not there.
  await expect(limited("muster://hubspot.destinations/manifest.json")).rejects.toMatchObject({ problem: "network" });
  expect(starts).toBe(1);
  limited.close();
});
