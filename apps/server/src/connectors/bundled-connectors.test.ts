import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createBrand } from "@muster/protocol";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { sendHead } from "../../../../testing/send-head.js";
import { startWebServer, type WebServer } from "../../../../testing/start-web-server.js";
import { BUNDLED_NAMES, SHIPPED_NAMES } from "../domain/connectors/bundled-address.js";
import { findChild } from "../outbound/bundled/find-child.js";
import { createGuardedFetch } from "../outbound/guarded-fetch.js";
import { Sender } from "../testing/sender.js";
import { openTestServer, type TestServer, withTestServer } from "../testing/test-server.js";

const PATIENCE = { timeout: 60_000, interval: 100 };

let server: TestServer;
let sender: Sender;
let inside: WebServer;
let callsInside = 0;
beforeAll(async () => {
  server = await openTestServer();
  await server.listen();
  sender = new Sender(server);
  inside = await startWebServer((_request, response) => {
    callsInside += 1;
    response.end();
  });
});
afterAll(async () => {
  await server?.close();
  await inside?.close();
});

/** Calls the API as the operator, in the first organization or in another one. */
function call(method: "GET" | "POST" | "PUT", path: string, body?: object, organization = "default", of = server) {
  const headers = { ...of.operatorHeaders, "Svc-Organization": organization };
  return of.app.inject({ method, url: `/api/v1${path}`, headers, ...(body ? { payload: body } : {}) });
}

async function install(url: string): Promise<string> {
  const answer = await call("POST", "/connectors/install", { url });
  expect(answer.statusCode, answer.body).toBe(201);
  return answer.json().id;
}

test("every folder of a shipped connector is in the list of bundled ones", () => {
  const { connectorsFolder } = findChild();
  const folders = readdirSync(connectorsFolder).filter((name) =>
    readdirSync(join(connectorsFolder, name)).includes("manifest.json"),
  );
  expect(folders.sort()).toEqual([...BUNDLED_NAMES].sort());
});

test("they are in the catalogue of every organization, with their readme, before anything is started", async () => {
  const entries = (await call("GET", "/catalogue")).json();
  const bundled = entries.filter((entry: { bundled: boolean }) => entry.bundled);
  expect(bundled.map(({ source_url }: { source_url: string }) => source_url)).toEqual(
    SHIPPED_NAMES.map((name) => `muster://${name}`),
  );
  const details = await call("GET", "/catalogue/manifest?manifest_url=muster://processor/manifest.json");
  expect(details.json()).toMatchObject({
    manifest: { name: "Processor" },
    problems: [],
    readme: expect.stringMatching(/^# Processor/),
  });
});

test("a name that is not theirs is refused with the names that are", async () => {
  for (const url of ["slack", "muster://slack", "muster://processor:8080"]) {
    const answer = await call("POST", "/connectors/install", { url });
    expect([answer.statusCode, answer.json().error.message]).toEqual([
      400,
      expect.stringContaining("comes with Muster. These do: incoming-webhooks, outgoing-webhooks, processor"),
    ]);
  }
});

test("only the server reaches them: no fetch for users knows their scheme, and nobody starts them from outside", async () => {
  const guarded = createGuardedFetch({ allowPrivateNetwork: true });
  await expect(guarded("muster://processor/manifest.json")).rejects.toThrow("not an http or https address");
  const redirecting = await startWebServer((_request, response) => {
    response.writeHead(302, { location: "muster://processor/manifest.json" }).end();
  });
  await expect(guarded(redirecting.url)).rejects.toThrow("redirects to no http or https address");
  await redirecting.close();
  const stranger = await server.app.inject({ url: "/bundled/processor/manifest.json" });
  expect(stranger.statusCode).toBe(404);
});

test("a connector is installed by its name, and serves an organization that was created after it had started", async () => {
  await install("incoming-webhooks");
  const made = await call("POST", "/organizations", { namespace: "later", name: "Later" });
  expect(made.statusCode, made.body).toBe(201);
  const { id } = (await call("POST", "/connectors/install", { url: "muster://incoming-webhooks" }, "later")).json();
  const address = await call("POST", `/${id}/call`, { path: "/address", body: { source: "shop" } }, "later");
  expect(address.statusCode, address.body).toBe(200);
  const url = new URL(address.json().url);
  expect(url.origin + url.pathname).toBe(`${server.addresses.publicUrl}/bundled/incoming-webhooks/webhooks/shop`);
  const post = (to: string) =>
    fetch(to, { method: "POST", headers: { "content-type": "application/json" }, body: '{"email":"ada@example.com"}' });
  const received = await post(url.href);
  expect([received.status, await received.json()]).toEqual([200, { accepted: 2, refused: [] }]);
  // A page of theirs at the origin of the dashboard has no origin of its own.
  expect(received.headers.get("content-security-policy")).toMatch(/^sandbox allow-scripts/);
  url.searchParams.set("token", "wrong");
  expect((await post(url.href)).status).toBe(401);
});

test("a stranger is refused before anything of a body is read, also one who says it is a notification", async () => {
  const bundled = `${server.addresses.publicUrl}/bundled`;
  expect(await sendHead(`${bundled}/sql-importer/status`)).toBe(404);
  await install("processor");
  const smart = { [createBrand().headers.smartNotifier]: "true", "content-encoding": "gzip" };
  for (const path of ["processor/smart-notifier", "processor/status"]) {
    for (const headers of [{}, smart])
      expect([path, await sendHead(`${bundled}/${path}`, headers)]).toEqual([path, 401]);
  }
});

test("what customers choose does not reach the network of the server", async () => {
  const webhooks = await install("outgoing-webhooks");
  const { port } = new URL(server.addresses.publicUrl);
  const targets = [inside.url, inside.url.replace("127.0.0.1", "localhost"), `http://127.0.0.1:${port}/api/v1/app`];
  for (const url of targets) {
    await call("PUT", `/${webhooks}`, { private_settings: { url } });
    const before = (await call("GET", `/${webhooks}/delivery`)).json().last_failed_at;
    await sender.send([sender.traits({ user: { email: `${before}@example.com` } }, { plan: "pro" })]);
    await vi.waitFor(async () => {
      const delivery = (await call("GET", `/${webhooks}/delivery`)).json();
      expect(delivery.last_failed_at, JSON.stringify(delivery)).not.toBe(before);
    }, PATIENCE);
  }
  expect(callsInside).toBe(0);

  const importer = await install("sql-importer");
  const databases = [
    "postgres://u:p@127.0.0.1:5432/d",
    "postgres://u:p@/d?host=/var/run/postgresql",
    `mysql://u:p@localhost:${port}/d`,
  ];
  for (const connection_string of databases) {
    await call("PUT", `/${importer}`, { private_settings: { connection_string } });
    await vi.waitFor(async () => {
      const preview = await call("POST", `/${importer}/call`, { path: "/preview", body: { query: "select 1" } });
      expect(preview.json().error).toContain("is not a public address; set ALLOW_PRIVATE_NETWORK to allow it");
    }, PATIENCE);
  }
});

test("BUNDLED_CONNECTORS=false offers none of them, and says so", async () => {
  await withTestServer({ BUNDLED_CONNECTORS: "false" }, async (without) => {
    expect((await call("GET", "/catalogue", undefined, "default", without)).json()).toEqual([]);
    const answer = await call("POST", "/connectors/install", { url: "processor" }, "default", without);
    expect(answer.json().error.message).toContain("BUNDLED_CONNECTORS");
  });
});

test("a destination that the operator does not allow cannot be installed by its name, and the answer says so", async () => {
  await withTestServer({ DESTINATIONS: "hubspot" }, async (limited) => {
    for (const url of ["slack.destinations", "muster://slack.destinations/manifest.json"]) {
      for (const path of ["/connectors/install", "/catalogue"]) {
        const answer = await call("POST", path, { url }, "default", limited);
        expect(answer.statusCode).toBe(400);
        expect(answer.json().error.message).toContain('does not allow the destination "slack" (DESTINATIONS)');
      }
    }
  });
});
