import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import type { ServedPackage } from "@muster/protocol/api/packages";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { isPassword } from "../members/password.js";
import { holdNewMinute } from "../testing/new-minute.js";
import { ROUTE_RULES } from "../testing/route-rules.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";
import { ServedPackages } from "./routes/packages/served-packages.js";

// What anybody may call, without credentials.

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer({ BROWSER_RECORDS_PER_MINUTE: "2" });
});
afterAll(() => server.close());

const OPEN_GETS = Object.entries(ROUTE_RULES).flatMap(([route, rule]) => {
  const [method, path = ""] = route.split(" ");
  return method === "GET" && ["open", "anyone"].includes(String([rule].flat()[0])) ? [path] : [];
});
const ASSEMBLED = OPEN_GETS.filter((path) => /[:*]/.test(path));

describe("a long path is never a failure of the server", () => {
  test.each([
    ["a long name", "a".repeat(2_000)],
    ["a longer name than the router takes", "a".repeat(5_000)],
    ["many escapes", "%41".repeat(1_500)],
    ["a name that no file can have", "é".repeat(300)],
  ])("%s", async (_what, part) => {
    for (const path of ASSEMBLED) {
      const { statusCode } = await server.app.inject(path.replace(/:\w+|\*/g, encodeURI(part)));
      // Without the files of the dashboard its pages are 503.
      expect([path, statusCode]).toEqual([path, expect.toSatisfy((status) => status < 500 || status === 503)]);
    }
  });
});

test("what is not found is named in a few words", async () => {
  const { statusCode, body } = await server.app.inject(`/${"a".repeat(10_000)}`);
  expect(statusCode).toBe(404);
  expect(body.length).toBeLessThan(1_000);
});

test("those who ask at the same time whether the server is ready share one question to each engine", async () => {
  const pings = vi.spyOn(server.questions, "ping");
  const answers = await Promise.all(Array.from({ length: 50 }, () => server.app.inject("/readyz")));
  const { length } = pings.mock.calls;
  pings.mockRestore();
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  expect(length).toBeLessThan(5);
});

test("the body of a request for a public key has an end", async () => {
  const post = (payload: string) =>
    server.app.inject({ method: "POST", url: "/keys/none", payload, headers: { "content-type": "text/plain" } });
  expect((await post("signature")).statusCode).toBe(404);
  expect((await post("x".repeat(20_000))).statusCode).toBe(413);
});

test("an address can load the frame of the old library and the list of its connectors only so often", async () => {
  holdNewMinute();
  const created = await server.app.inject({
    method: "POST",
    url: "/api/v1/platforms",
    headers: server.operatorHeaders,
    payload: { name: "Site", domains: ["*.example.com"] },
  });
  const { id } = created.json<{ id: string }>();
  for (const [index, path] of ["remote.json", "remote.html", "deployments"].entries()) {
    const get = async () =>
      (await server.app.inject({ url: `/api/v1/${id}/${path}`, remoteAddress: `192.0.2.${index}` })).statusCode;
    const statuses: number[] = [];
    for (let call = 0; call < 41; call++) statuses.push(await get());
    expect([path, statuses[0] === 429, statuses.at(-1)]).toEqual([path, false, 429]);
  }
  const asConnector = await server.app.inject({
    url: `/api/v1/${id}/deployments`,
    headers: server.connectorHeaders,
    remoteAddress: "192.0.2.2",
  });
  expect(asConnector.statusCode).toBe(200);
});

describe("packages for npm", () => {
  const get = (url: string, headers: Record<string, string> = {}) => server.app.inject({ url, headers });

  test("the list has the address, the size and the checksum of each", async () => {
    const answer = await get("/packages", { host: "elsewhere.example" });
    const { packages } = answer.json<{ packages: ServedPackage[] }>();
    expect(packages.map(({ name }) => name)).toEqual([
      "@muster/client",
      "@muster/connector",
      "@muster/browser",
      "@muster/cli",
    ]);
    for (const { url, install, bytes, integrity } of packages) {
      // A caller can name any host, and a cache may give the answer to others.
      expect(url).toMatch(`${server.url}/packages/`);
      expect(install).toMatch(/^npm install (--global )?http/);
      const { rawPayload } = await get(new URL(url).pathname);
      const checksum = createHash("sha512").update(rawPayload).digest("base64");
      expect([rawPayload.length, `sha512-${checksum}`]).toEqual([bytes, integrity]);
    }
  });

  test("a browser gets a page", async () => {
    const { headers, body } = await get("/packages", { accept: "text/html,*/*" });
    expect([headers["content-type"], headers.vary]).toEqual([expect.stringContaining("text/html"), "accept"]);
    expect(body).toContain(`npm install --global ${server.url}/packages/cli.tgz`);
  });

  test("who has an archive already is told so", async () => {
    const { statusCode, headers } = await get("/packages/client.tgz");
    expect([statusCode, headers["content-type"], headers["cache-control"]]).toEqual([
      200,
      "application/octet-stream",
      "public, no-cache, no-transform",
    ]);
    const again = await get("/packages/client.tgz", { "if-none-match": `"other", W/${headers.etag}` });
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, "", headers.etag]);
    expect((await get("/packages/client.tgz", { "if-none-match": '"other"' })).statusCode).toBe(200);
    const head = await server.app.inject({ method: "HEAD", url: "/packages/client.tgz" });
    expect([head.statusCode, head.headers["content-length"], head.body]).toEqual([200, headers["content-length"], ""]);
  });

  test.each(["server.tgz", "client", "..%2Fpackage.json", "..%2F..%2F..%2Fpackage.json", "%2Fetc%2Fpasswd"])(
    "%s is none, and the answer says what there is",
    async (file) => {
      const answer = await get(`/packages/${file}`);
      expect(answer.statusCode).toBe(404);
      expect(answer.json()).toMatchObject({ message: expect.stringContaining("client.tgz, connector.tgz") });
    },
  );

  test("archives that are built while the server runs are there at the next request", async () => {
    const folder = await mkdtemp(join(tmpdir(), "muster-archives-"));
    try {
      const packages = new ServedPackages(folder);
      await expect(packages.all()).rejects.toMatchObject({ code: "unavailable", retryAfter: 5 });
      for (const name of ["client", "connector", "browser", "cli"]) await writeFile(join(folder, `${name}.tgz`), name);
      expect((await packages.find("cli.tgz")).content.toString()).toBe("cli");
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

test("passwords that wait for their turn are refused when there are too many", async () => {
  // Of a cost that takes no time.
  const hash = `scrypt$2$8$1$AAAAAAAAAAAAAAAAAAAAAA$${"A".repeat(43)}`;
  const count = 60 * availableParallelism();
  const attempts = await Promise.allSettled(Array.from({ length: count }, () => isPassword("a password", hash)));
  const refused = attempts.filter(({ status }) => status === "rejected");
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(count);
  expect(refused[0]).toMatchObject({ reason: { code: "unavailable" } });
  expect(await isPassword("a password", hash)).toBe(false);
});
