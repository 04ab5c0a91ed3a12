import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type AddressInfo, connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ROLES } from "../runtime/settings/roles.js";
import { type AppOptions, buildApp } from "./app.js";
import type { App } from "./app-type.js";
import type { AuthenticateOptions } from "./auth/authenticate.js";
import { SessionCookie } from "./auth/session-cookie.js";

const certificate = (file: string) =>
  readFile(fileURLToPath(new URL(`../testing/certificate/${file}`, import.meta.url)));
const readCertificate = async () => ({ cert: await certificate("cert.pem"), key: await certificate("key.pem") });
const LARGE = "x".repeat(32 * 1024 * 1024);
const READY = "GET /ready HTTP/1.1\r\nHost: localhost\r\n";

let app: App;
let release: () => void = () => {};
const clients: Socket[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  release();
  await app.close();
});

async function start(options: Partial<AppOptions> = {}): Promise<void> {
  app = await buildApp({
    // Not used: the routes of this test are open.
    authentication: {} as AuthenticateOptions,
    sessionCookie: new SessionCookie("http://localhost"),
    visitorCookies: {} as AppOptions["visitorCookies"],
    logger: pino({ level: "silent" }),
    bodyLimitBytes: 1_000_000,
    requestTimeoutMs: 10_000,
    trustProxy: false,
    roles: ROLES,
    async routes(routes) {
      const open = { config: { access: "open" } } as const;
      routes.get("/ready", open, async () => "ready");
      routes.get("/large", open, async () => LARGE);
      routes.get("/slow", open, () => new Promise((resolve) => (release = () => resolve("slow"))));
      routes.post("/body", open, async ({ body }) => body);
    },
    ...options,
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
}

/** A client that sends bytes and never closes its side, whatever it is answered. */
function send(bytes: string | Buffer): Socket {
  const { port } = app.server.address() as AddressInfo;
  const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  client.on("error", () => {});
  client.on("connect", () => client.write(bytes));
  clients.push(client);
  return client;
}

function openConnections(): Promise<number> {
  return new Promise((resolve, reject) =>
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
}

/** Waits until the server holds so many connections. */
const expectConnections = (count: number) =>
  vi.waitFor(async () => expect(await openConnections()).toBe(count), { timeout: 8_000, interval: 20 });

/** What a client receives until the server ends its side. The client leaves its own side open. */
async function textOf(client: Socket): Promise<string> {
  let text = "";
  client.on("data", (chunk) => {
    text += chunk;
  });
  await once(client, "end");
  return text;
}

describe("a client that never closes its side is let go", () => {
  test.each<[string, string, RegExp]>([
    ["after garbage", "\u0001\u0002\u0003\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["after a TLS greeting without TLS", "\u0016\u0003\u0001\u0000\u00a5\u0001\u0000\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["after headers that are too large", `${READY}A: ${"x".repeat(40_000)}\r\n\r\n`, /^HTTP\/1\.1 431 /],
    ["after a request with two lengths", `${READY}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, /^HTTP\/1\.1 400 /],
    ["after CONNECT", "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n", /^HTTP\/1\.1 405 /],
    ["after a request that closes", `${READY}Connection: close\r\n\r\n`, /ready/],
  ])("%s", async (_what, bytes, answer) => {
    await start();
    const received = await textOf(send(bytes));
    expect(received).toMatch(answer);
    await expectConnections(0);
  });

  test.each<[string, string]>([
    ["when it sends nothing", ""],
    ["in the middle of headers", `${READY}A:`],
    [
      "in the middle of a body",
      "POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
    ],
  ])("%s", async (_what, bytes) => {
    await start({ requestTimeoutMs: 300 });
    expect(await textOf(send(bytes))).toMatch(/^HTTP\/1\.1 408 /);
    await expectConnections(0);
  });

  test("when it goes on sending garbage and reads nothing", async () => {
    await start();
    const client = send("\u0001\u0002\u0003\r\n\r\n");
    client.pause();
    const dripping = setInterval(() => client.write("\u0001\r\n\r\n"), 50);
    try {
      await once(app.server, "connection");
      await expectConnections(0);
    } finally {
      clearInterval(dripping);
    }
  });

  test("when it does not read its answer", async () => {
    await start({ connections: { idleMs: 300 } });
    const client = send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
    client.pause();
    await once(app.server, "request");
    await expectConnections(0);
  });
});

test("two hundred clients that sent garbage and stay hold no descriptor", async () => {
  await start();
  const answers = Array.from({ length: 200 }, () => textOf(send("\u0001\u0002\u0003\r\n\r\n")));
  for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  await expectConnections(0);
});

test("a client that hangs up after CONNECT ends nothing but its connection", async () => {
  await start();
  for (let round = 0; round < 20; round++) {
    const client = send("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\nmore");
    await once(app.server, "connect");
    client.resetAndDestroy();
  }
  await expectConnections(0);
  expect((await fetch(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}/ready`)).status).toBe(200);
});

test("an answer that takes the server longer than a connection may idle still arrives", async () => {
  await start({ connections: { idleMs: 100 } });
  const client = send("GET /slow HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  await once(app.server, "request");
  const idle = once(app.server, "timeout");
  await idle;
  await once(app.server, "timeout");
  release();
  expect(await textOf(client)).toMatch(/slow/);
});

describe.each(["http", "https"])("closing a server (%s)", (protocol) => {
  const startIt = async (options: Partial<AppOptions> = {}) =>
    start({ ...(protocol === "https" ? { https: await readCertificate() } : {}), ...options });
  const open = async (bytes: string) => {
    const { port } = app.server.address() as AddressInfo;
    const options = { port, host: "127.0.0.1", rejectUnauthorized: false };
    const client = protocol === "https" ? connectTls(options) : connect(options);
    clients.push(client);
    await once(client, protocol === "https" ? "secureConnect" : "connect");
    client.write(bytes);
    return client;
  };

  test("ends connections whose clients say nothing, or stop in the head of a request", async () => {
    await startIt();
    await open(`${READY}\r\n`).then((client) => once(client, "data"));
    await open(READY);
    await open("");
    await expectConnections(3);
    await app.close();
    await expectConnections(0);
  });

  test("ends connections whose clients stop in a body, when their time is over", async () => {
    await startIt({ requestTimeoutMs: 300 });
    const head =
      "POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n";
    const begun = once(app.server, "request");
    await open(`${head}{`);
    await begun;
    await app.close();
    await expectConnections(0);
  });

  test("waits for the answer to a request, and ends its connection then", async () => {
    await startIt();
    const begun = once(app.server, "request");
    const client = await open("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await begun;
    const closed = app.close();
    const answer = textOf(client);
    setTimeout(() => release(), 100);
    expect(await answer).toMatch(/slow/);
    await closed;
  });
});

describe("with TLS", () => {
  test.each<[string, string]>([
    ["HTTP without TLS", `${READY}\r\n`],
    ["garbage", "\u0001\u0002\u0003\r\n\r\n"],
    ["a greeting and garbage", "\u0016\u0003\u0001\u0000\u0005\u0001\u0000\u0000\u0001\u0003garbage"],
  ])("a client that sends %s is let go", async (_what, bytes) => {
    await start({ https: await readCertificate() });
    send(bytes);
    await once(app.server, "connection");
    await expectConnections(0);
  });

  test("a client that does not finish its handshake is let go", async () => {
    await start({ https: await readCertificate(), requestTimeoutMs: 300 });
    send("\u0016\u0003\u0001");
    await once(app.server, "connection");
    await expectConnections(0);
  });
});

describe("places", () => {
  test("one address gets its share, and others still find a place", async () => {
    await start({ connections: { total: 6, perAddress: 3 } });
    for (let index = 0; index < 3; index++) send("");
    await expectConnections(3);
    expect(await textOf(send(""))).toBe("");
    const { port } = app.server.address() as AddressInfo;
    const other = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.2" });
    clients.push(other);
    other.write(`${READY}Connection: close\r\n\r\n`);
    expect(await textOf(other)).toMatch(/ready/);
    expect(app.connections.refused).toBe(1);
  });

  test("a place is free again when a connection ends", async () => {
    await start({ connections: { total: 2, perAddress: 2 } });
    const first = send("");
    send("");
    await expectConnections(2);
    first.destroy();
    await expectConnections(1);
    expect(await textOf(send(`${READY}Connection: close\r\n\r\n`))).toMatch(/ready/);
    expect(app.connections.open).toBeLessThanOrEqual(2);
  });

  test("more connections than there are places are closed at once", async () => {
    await start({ connections: { total: 2, perAddress: 2 } });
    send("");
    send("");
    await expectConnections(2);
    expect(await textOf(send(""))).toBe("");
    expect([app.connections.open, app.connections.refused]).toEqual([2, 1]);
  });
});
