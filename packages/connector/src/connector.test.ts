import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Manifest } from "@muster/protocol/manifest";
import express from "express";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Connector } from "./connector.js";
import type { ConnectorOptions } from "./connector-options.js";
import type { ConnectorHandlers } from "./handlers/connector-handlers.js";
import { view } from "./handlers/reply.js";
import {
  callConnector,
  type FakePlatform,
  type RunningConnector,
  runConnector,
  startFakePlatform,
  userMessage,
} from "./testing/index.js";

const MANIFEST: Manifest = { name: "My Test Connector", version: "1.2.3", settings_sections: [] };

let platform: FakePlatform;
let directory: string;
let running: RunningConnector | undefined;
beforeEach(async () => {
  platform = await startFakePlatform();
  directory = await mkdtemp(join(tmpdir(), "connector-"));
});
afterEach(async () => {
  await running?.close();
  await platform.close();
  await rm(directory, { recursive: true });
});

async function start(options: ConnectorOptions): Promise<string> {
  const connector = new Connector({
    manifest: MANIFEST,
    directory,
    port: 0,
    organizations: [platform.url],
    clientConfig: { onLog: () => {} },
    ...options,
  });
  running = await runConnector(connector);
  return running.url;
}

function startWith(declared: Partial<Manifest>, handlers: ConnectorHandlers, options: ConnectorOptions = {}) {
  return start({ manifest: { ...MANIFEST, ...declared }, handlers, ...options });
}

describe("a client that never closes its side", () => {
  it("is let go after garbage, and after a request that does not end", async () => {
    const connector = new Connector({
      manifest: MANIFEST,
      directory,
      port: 0,
      organizations: [platform.url],
      timeout: "500ms",
    });
    const server = connector.startApp(connector.setupApp(express()));
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const clients = ["\u0001\u0002\r\n\r\n", "GET / HTTP/1.1\r\nA:", "CONNECT a.example:443 HTTP/1.1\r\n\r\n", ""].map(
      (bytes) => {
        const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
        client.on("error", () => {});
        client.resume();
        client.write(bytes);
        return client;
      },
    );
    await vi.waitFor(
      async () => {
        expect(await promisify(server.getConnections.bind(server))()).toBe(0);
      },
      { timeout: 10_000, interval: 50 },
    );
    expect(server).toMatchObject({ headersTimeout: 20_000, requestTimeout: 120_000, maxConnections: 10_000 });
    for (const client of clients) client.destroy();
    await connector.close();
  });
});

describe("what can be read without credentials", () => {
  it("is the manifest, the readme, and the files in dist and assets", async () => {
    await writeFile(join(directory, "README.md"), "# Hello");
    for (const folder of ["dist", "assets"]) {
      await mkdir(join(directory, folder));
      await writeFile(join(directory, folder, `${folder}.js`), `${folder}()`);
    }
    const url = await start({});
    expect(await callConnector(`${url}/manifest.json`)).toMatchObject({ status: 200, body: MANIFEST });
    expect(await callConnector(`${url}/readme`)).toMatchObject({ status: 200, text: "# Hello" });
    const root = await callConnector(`${url}/`);
    expect([root.status, root.headers.get("location")]).toEqual([302, "readme"]);
    expect(await callConnector(`${url}/dist/dist.js`)).toMatchObject({ status: 200, text: "dist()" });
    expect(await callConnector(`${url}/assets/assets.js`)).toMatchObject({ status: 200, text: "assets()" });
    expect(await callConnector(`${url}/dist.js`)).toMatchObject({ status: 200, text: "dist()" });
    expect((await callConnector(`${url}/README.md/../../etc/passwd`)).status).toBe(404);
    expect((await callConnector(`${url}/dist/`)).status).toBe(404);
  });

  it("comes from manifest.json when no manifest is given; without that file there is an error", async () => {
    const file = join(directory, "manifest.json");
    expect(() => new Connector({ directory })).toThrow(`The manifest ${file} cannot be read`);
    await writeFile(file, JSON.stringify({ ...MANIFEST, name: "From a file" }));
    running = await runConnector(new Connector({ directory, port: 0 }));
    expect(await callConnector(`${running.url}/manifest.json`)).toMatchObject({ body: { name: "From a file" } });
  });
});

describe("pages in views", () => {
  it("are rendered for a request with credentials, with values escaped", async () => {
    await mkdir(join(directory, "views"));
    await writeFile(join(directory, "views", "admin.html"), "<b><%= connector.private_settings.name %></b>");
    platform.connector.private_settings.name = "<Ada>";
    const url = await start({});
    expect(await platform.call(`${url}/views/admin.html`)).toMatchObject({ status: 200, text: "<b>&lt;Ada&gt;</b>" });
    expect((await callConnector(`${url}/views/admin.html`)).status).toBe(401);
  });

  it("are only those in the folder", async () => {
    await mkdir(join(directory, "views"));
    await writeFile(join(directory, "secret.html"), "secret");
    await writeFile(join(directory, "views", "page.v2.html"), "page");
    const url = await start({});
    expect((await platform.call(`${url}/views/page.v2.html`)).text).toBe("page");
    const absolute = encodeURIComponent(join(directory, "secret"));
    for (const name of ["..%2fsecret", "..%2Fsecret", "%2e%2e%2fsecret", "..%5csecret", absolute, "secret%00"]) {
      const { status, text } = await platform.call(`${url}/views/${name}.html`);
      expect([name, status, text.includes("secret")]).toEqual([name, 404, false]);
    }
  });

  it("are not stored by caches, and their addresses are not told to other sites", async () => {
    await mkdir(join(directory, "views"));
    await writeFile(join(directory, "views", "admin.html"), "page");
    const { headers } = await platform.call(`${await start({})}/views/admin.html`);
    expect([headers.get("referrer-policy"), headers.get("cache-control")]).toEqual(["no-referrer", "no-store"]);
  });

  it("are the answers of html handlers", async () => {
    await mkdir(join(directory, "views"));
    await writeFile(
      join(directory, "views", "list.html"),
      "<% for (const item of items) { %><i><%= item %></i><% } %>",
    );
    const url = await startWith(
      {
        html: [
          { url: "/list", handler: "list" },
          { url: "/text", handler: "text" },
        ],
      },
      { html: { list: () => view("list.html", { items: [1, 2] }), text: () => "<p>hi</p>" } },
    );
    const page = await platform.call(`${url}/list`);
    expect(page).toMatchObject({ status: 200, text: "<i>1</i><i>2</i>" });
    expect(page.headers.get("content-type")).toContain("text/html");
    expect((await platform.call(`${url}/text`)).text).toBe("<p>hi</p>");
  });
});

describe("handlers that the manifest names", () => {
  it("are called by name, in every section of the manifest", async () => {
    const handled: string[] = [];
    const note = (what: string) => () => void handled.push(what);
    const url = await startWith(
      {
        json: [{ url: "/json", handler: "lists" }],
        incoming: [{ url: "/in", handler: "hook" }],
        html: [{ url: "/page", handler: "page" }],
        schedules: [{ url: "/sync", handler: "sync", type: "interval", value: 5 }],
        status: { url: "/status", handler: "status", type: "interval", value: 5 },
        subscriptions: [{ url: "/smart-notifier", channels: [{ channel: "user:update", handler: "userUpdate" }] }],
        tags: ["batch"],
      },
      {
        json: { lists: () => ({ options: [{ value: "1", label: "One" }] }) },
        incoming: { hook: note("hook") },
        html: { page: () => "page" },
        schedules: { sync: note("sync") },
        statuses: { status: () => ({ status: "warning", messages: ["Not yet."] }) },
        subscriptions: { userUpdate: note("userUpdate"), "user:update": note("batch") },
      },
    );
    expect((await platform.call(`${url}/json`)).body).toEqual({ options: [{ value: "1", label: "One" }] });
    expect((await platform.call(`${url}/in`, { body: {} })).body).toEqual({ ok: true });
    expect((await platform.call(`${url}/page`)).text).toBe("page");
    await platform.call(`${url}/sync`, { body: {} });
    expect((await platform.call(`${url}/status`, { body: {} })).body).toEqual({
      status: "warning",
      messages: ["Not yet."],
    });
    await platform.notify(`${url}/smart-notifier`, { channel: "user:update", messages: [userMessage()] });
    await platform.call(`${url}/batch`, { body: { url: platform.serve('{"id":"u1"}'), format: "json" } });
    await vi.waitFor(() => expect(handled).toEqual(["hook", "sync", "userUpdate", "batch"]));
  });

  it("must all exist; the error names the missing ones", () => {
    const manifest = {
      ...MANIFEST,
      json: [{ url: "/json", handler: "lists" }],
      subscriptions: [{ url: "/notify", channels: [{ channel: "user:update", handler: "userUpdate" }] }],
    };
    return expect(runConnector(new Connector({ manifest, directory, port: 0 }))).rejects.toThrow(
      "The manifest names handlers that were not given: json: lists, subscriptions: userUpdate.",
    );
  });

  it("take their options from the manifest", async () => {
    const seen: unknown[] = [];
    const options = { maxSize: 1, groupTraits: true, segmentFilterSetting: "segments" };
    const channels = [{ channel: "user:update", handler: "userUpdate", options }];
    const url = await startWith(
      { subscriptions: [{ url: "/notify", channels }] },
      { subscriptions: { userUpdate: (_ctx, messages: unknown[]) => void seen.push(messages) } },
    );
    platform.connector.private_settings = { segments: ["IDENTIFIED"] };
    const messages = [
      userMessage({ user: { id: "1", traits_plan: "pro" } }),
      userMessage({ user: { id: "2", email: "a" } }),
    ];
    await platform.notify(`${url}/notify`, { channel: "user:update", messages });
    expect(seen).toMatchObject([
      [{ user: { traits: { plan: "pro" } }, matchesFilter: false }],
      [{ user: { id: "2" }, matchesFilter: true }],
    ]);
  });
});

describe("the address to listen on", () => {
  it("is one that only this machine can reach, unless another one is given", async () => {
    const bound = async (options: ConnectorOptions) => {
      const connector = new Connector({ manifest: MANIFEST, directory, port: 0, ...options });
      const server = connector.startApp(connector.setupApp(express()));
      await once(server, "listening");
      const { address } = server.address() as AddressInfo;
      await connector.close();
      return address;
    };
    vi.stubEnv("HOST", "");
    expect(await bound({})).toBe("127.0.0.1");
    vi.stubEnv("HOST", "0.0.0.0");
    expect(await bound({})).toBe("0.0.0.0");
    expect(await bound({ host: "127.0.0.1" })).toBe("127.0.0.1");
    vi.unstubAllEnvs();
  });
});

describe("a connector that was told of no organization", () => {
  it("refuses every call, asks nobody, and says at its start what to set", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
    const url = await start({ organizations: [] });
    expect(warned).toHaveBeenCalledWith(expect.stringContaining("ORGANIZATIONS=localhost:8080"));
    warned.mockRestore();
    expect(await platform.call(`${url}/views/admin.html`)).toMatchObject({
      status: 403,
      body: { code: "unknown_organization", error: expect.stringContaining("ORGANIZATIONS") },
    });
    expect(platform.requests).toEqual([]);
  });
});

it("warns of a host secret that can be guessed, and of signatures that are not checked", () => {
  const warned = vi.spyOn(process, "emitWarning").mockReturnValue();
  new Connector({ manifest: MANIFEST, hostSecret: "short", skipSignatureValidation: true });
  expect(warned.mock.calls.map(([text]) => text)).toEqual([
    expect.stringContaining("16 random characters"),
    expect.stringContaining("for tests only"),
  ]);
  warned.mockRestore();
});

// Two hundred connectors run in one process of the server. Memory of buffers is not in the heap.
it("takes little memory before it is called", () => {
  const memory = () => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
  const before = memory();
  const connectors = Array.from({ length: 200 }, () => new Connector({ manifest: MANIFEST, directory }));
  expect((memory() - before) / connectors.length).toBeLessThan(500_000);
});
