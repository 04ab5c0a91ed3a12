import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { defaultSettings } from "@muster/protocol/manifest";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openTestServer, type TestServer } from "../testing/test-server.js";

const MANIFEST = {
  name: "Outgoing webhooks",
  version: "1.2.0",
  tags: ["outgoing", "smart-notifier"],
  settings: [
    { name: "color", type: "string", default: "blue" },
    { name: "quiet", type: "boolean", default: false },
    { name: "unset", type: "string" },
  ],
  private_settings: [
    { name: "api_key", type: "string", default: "" },
    { name: "segments", type: "array", format: "segment", default: ["ALL"] },
    { type: "string", default: "nameless" },
    "not a setting",
  ],
  status: { url: "/status", type: "interval", value: 5, initial_value: "setupRequired" },
};

let muster: TestServer;
let connector: Server;
let connectorUrl: string;
let respond: (request: IncomingMessage, response: ServerResponse) => void;

beforeAll(async () => {
  muster = await openTestServer();
});
afterAll(() => muster.close());

beforeEach(async () => {
  connector = createServer((request, response) => respond(request, response));
  await new Promise<void>((resolve) => connector.listen(0, "127.0.0.1", resolve));
  connectorUrl = `http://127.0.0.1:${(connector.address() as AddressInfo).port}`;
});
afterEach(async () => {
  connector.closeAllConnections();
  await new Promise((resolve) => connector.close(resolve));
});

/** Makes the connector serve `manifest` at `path` and nothing else. */
function serve(manifest: string | Buffer | object, path = "/manifest.json"): void {
  respond = (request, response) => {
    if (request.url !== path) response.writeHead(404).end("not here");
    else response.end(typeof manifest === "string" || Buffer.isBuffer(manifest) ? manifest : JSON.stringify(manifest));
  };
}

function install(url: string) {
  const headers = muster.operatorHeaders;
  return muster.app.inject({ method: "POST", url: "/api/v1/connectors/install", headers, payload: { url } });
}

async function read(id: string) {
  return (await muster.app.inject({ url: `/api/v1/${id}`, headers: muster.operatorHeaders })).json();
}

test("a connector is installed with its manifest, the defaults of its settings and its initial status", async () => {
  serve(MANIFEST);
  const answer = await install(connectorUrl);
  expect(answer.statusCode).toBe(201);
  const { id, secret, organization, name } = answer.json();
  expect(name).toBe("Outgoing webhooks");
  expect(organization).toMatch(/^127\.0\.0\.1/);
  expect(await read(id)).toMatchObject({
    id,
    secret,
    name: "Outgoing webhooks",
    manifest: MANIFEST,
    manifest_url: `${connectorUrl}/manifest.json`,
    source_url: connectorUrl,
    settings: { color: "blue", quiet: false },
    private_settings: { api_key: "", segments: ["ALL"] },
    tags: ["outgoing", "smart-notifier"],
    status: { status: "setupRequired" },
    enabled: true,
  });
});

test.each([
  ["the base address with a slash", "/", "/manifest.json", ""],
  ["a base address in a folder", "/apps/hooks/", "/apps/hooks/manifest.json", "/apps/hooks"],
  ["the manifest's address", "/manifest.json", "/manifest.json", ""],
  ["the manifest's address in a folder", "/apps/manifest.json?v=2#top", "/apps/manifest.json", "/apps"],
  ["a manifest of another name", "/apps/hooks.json", "/apps/hooks.json", "/apps"],
])("%s leads to the manifest", async (_what, given, manifestPath, sourcePath) => {
  serve(MANIFEST, manifestPath);
  const answer = await install(connectorUrl + given);
  expect(answer.statusCode).toBe(201);
  expect(await read(answer.json().id)).toMatchObject({
    manifest_url: connectorUrl + manifestPath,
    source_url: connectorUrl + sourcePath,
  });
});

test("a manifest with only a name is enough, also after a byte order mark", async () => {
  serve(`\uFEFF{"name": "Tiny"}`);
  const answer = await install(connectorUrl);
  expect(answer.statusCode).toBe(201);
  expect(await read(answer.json().id)).toMatchObject({ settings: {}, private_settings: {}, status: { status: "ok" } });
});

test("an initial status that is not known is ignored", async () => {
  serve({ name: "Odd", status: { initial_value: "sleepy" } });
  expect(await read((await install(connectorUrl)).json().id)).toMatchObject({ status: { status: "ok" } });
});

describe("an installation is refused with a reason", () => {
  async function expectRefused(url: string, message: RegExp) {
    const answer = await install(url);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({
      message: expect.stringMatching(message),
      error: { code: "invalid_parameter", details: [{ path: "body.url" }] },
    });
  }

  test.each<[string, string | Buffer | object, RegExp]>([
    ["when the manifest is not JSON", '{"name": "Broken",', /is not JSON/],
    [
      "when the manifest has a comma too many",
      '{"name": "Broken",\n "version": "1",\n}',
      /is not JSON: .*(position|line)/,
    ],
    ["when the manifest is a page", "<!doctype html><title>Hi</title>", /is not JSON/],
    ["when the manifest is not an object", "[1, 2]", /is not a JSON object/],
    ["when there is no name", { version: "1" }, /no usable `name`/],
    ["when the name is not a text", { name: 7 }, /no usable `name`/],
    ["when the name is empty", { name: " " }, /no usable `name`/],
    ["when the name is too long", { name: "x".repeat(201) }, /no usable `name`/],
    ["when the manifest is larger than a megabyte", { name: "Big", readme: "x".repeat(1024 * 1024) }, /larger than/],
    ["when the manifest cannot be stored", { name: "Nul", readme: "\u0000" }, /cannot be stored/],
  ])("%s", async (_when, manifest, message) => {
    serve(manifest);
    await expectRefused(connectorUrl, message);
  });

  test("when the connector answers with an error", async () => {
    respond = (_request, response) => response.writeHead(503).end();
    await expectRefused(connectorUrl, /answers with status 503/);
  });

  test("when the connector redirects, and the reason names the target", async () => {
    respond = (_request, response) => response.writeHead(302, { location: "http://169.254.169.254/" }).end();
    await expectRefused(connectorUrl, /redirects to http:\/\/169\.254\.169\.254\/: install that address/);
  });

  test("when the connection breaks in the middle", async () => {
    respond = (_request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write('{"name":');
      response.destroy();
    };
    await expectRefused(connectorUrl, /cannot be fetched/);
  });

  test("when no server listens there", async () => {
    const url = connectorUrl;
    await new Promise((resolve) => connector.close(resolve));
    await expectRefused(url, /cannot be fetched: ECONNREFUSED/);
  });

  test.each(["non sense", "ftp://example.com", "file:///etc/passwd", "http://", "javascript:alert(1)"])(
    "when the address is %s",
    async (url) => {
      await expectRefused(url, /not an http or https address/);
    },
  );

  test("when the address contains a password", async () => {
    await expectRefused("http://user:secret@127.0.0.1:9", /must not hold a user name or password/);
  });
});

test("a setting may have any name and any default", () => {
  const defaults = defaultSettings([
    { name: "__proto__", default: { admin: true } },
    { name: "x", default: null },
  ]);
  expect(JSON.stringify(defaults)).toBe('{"__proto__":{"admin":true},"x":null}');
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
});
