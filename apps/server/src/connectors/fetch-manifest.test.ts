import type { RequestListener } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startWebServer, type WebServer } from "../../../../testing/start-web-server.js";
import { createTrustedFetch } from "../outbound/trusted-fetch.js";
import { fetchManifest } from "./fetch-manifest.js";

const fetch = createTrustedFetch();
let web: WebServer;
let elsewhere: WebServer;
let respond: RequestListener;
let seen: (string | undefined)[];
let seenElsewhere: number;

beforeAll(async () => {
  web = await startWebServer((request, response) => {
    seen.push(request.url);
    respond(request, response);
  });
  elsewhere = await startWebServer((_request, response) => {
    seenElsewhere += 1;
    response.end('{"name":"Elsewhere"}');
  });
});
beforeEach(() => {
  seen = [];
  seenElsewhere = 0;
});
afterAll(async () => {
  fetch.close();
  await web.close();
  await elsewhere.close();
});

test("a redirect within the origin is followed, and the address of the connector stays as given", async () => {
  respond = ({ url }, response) => {
    if (url === "/app/manifest.json") response.writeHead(302, { location: "../v2/manifest.json" }).end();
    else response.end('{"name":"Moved"}');
  };
  expect(await fetchManifest(fetch, `${web.url}/app`)).toEqual({
    manifest: { name: "Moved" },
    manifestUrl: `${web.url}/app/manifest.json`,
    sourceUrl: `${web.url}/app`,
  });
  expect(seen).toEqual(["/app/manifest.json", "/v2/manifest.json"]);
});

test.each([301, 302, 303, 307, 308])("a redirect (%i) to another origin is not followed", async (status) => {
  respond = (_request, response) => response.writeHead(status, { location: `${elsewhere.url}/manifest.json` }).end();
  await expect(fetchManifest(fetch, web.url)).rejects.toThrow(`redirects to ${elsewhere.url}/manifest.json`);
  expect([seen.length, seenElsewhere]).toEqual([1, 0]);
});

test("another origin after a redirect within the origin is not followed either", async () => {
  respond = ({ url }, response) => {
    response.writeHead(302, { location: url === "/next" ? `${elsewhere.url}/` : "/next" }).end();
  };
  await expect(fetchManifest(fetch, web.url)).rejects.toThrow("install that address");
  expect(seenElsewhere).toBe(0);
});

test("redirects without end are refused", async () => {
  respond = (_request, response) => response.writeHead(302, { location: "/again" }).end();
  await expect(fetchManifest(fetch, web.url)).rejects.toThrow("redirects more than 3 times");
  expect(seen).toHaveLength(4);
});

test.each<[string, RequestListener]>([
  ["does not answer", () => {}],
  ["sends its answer without end", (_request, response) => void setInterval(() => response.write(" "), 5).unref()],
  ["sends only the head", (_request, response) => response.writeHead(200).flushHeaders()],
])("a connector that %s is given up", async (_what, listener) => {
  respond = listener;
  await expect(fetchManifest(fetch, web.url, 300)).rejects.toThrow("no answer within 0.3 seconds");
});

test("the time is for all redirects together", async () => {
  respond = ({ url }, response) => {
    if (url === "/manifest.json") setTimeout(() => response.writeHead(302, { location: "/slow" }).end(), 100);
  };
  const startedAt = performance.now();
  await expect(fetchManifest(fetch, web.url, 400)).rejects.toThrow("no answer within 0.4 seconds");
  // The second request has only the rest of the time.
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

test("a manifest that is too large is given up before it has been read", async () => {
  let sent = 0;
  respond = (_request, response) => {
    const send = () => {
      while (!response.destroyed && sent < 100 * 1024 * 1024) {
        sent += 64 * 1024;
        if (!response.write(Buffer.alloc(64 * 1024, " "))) return void response.once("drain", send);
      }
    };
    send();
  };
  await expect(fetchManifest(fetch, web.url)).rejects.toThrow("larger than 1048576 bytes");
  expect(sent).toBeLessThan(50 * 1024 * 1024);
});
