import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startWebServer } from "../../../../../testing/start-web-server.js";
import { ended, PATIENCE, runJob } from "../../testing/bulk.js";
import { ConnectorApp, smartManifest } from "../../testing/connector-app.js";
import { openOrganization, Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

const ann = { user: { email: "ann@example.com" } };

let server: TestServer;
let sender: Sender;
let stranger: Sender;
let app: ConnectorApp;
let download: string;
let platformId: string;
let uploadId: string;

beforeAll(async () => {
  server = await openTestServer({ ALLOW_PRIVATE_NETWORK: "true" });
  await server.listen();
  sender = new Sender(server);
  stranger = await openOrganization(server, "globex");
  app = await ConnectorApp.open(smartManifest({ schedules: [{ url: "/sync", type: "interval", value: "600" }] }));
  await app.install(server);
  await sender.settle([sender.traits(ann, { plan: "pro" })]);
  const job = await runJob(server, "/extract/users", { url: null, format: "csv", query: {} });
  const { pathname, search } = new URL(job.download_url ?? "");
  download = pathname + search;
  platformId = (await operator("POST", "/platforms", { name: "Site" })).json().id;
  uploadId = (await sender.call("POST", "/uploads", { payload: {} })).json().id;
});
afterAll(async () => {
  await server.close();
  await app.close();
});

function operator(method: "GET" | "POST" | "PUT" | "DELETE", path: string, payload?: object) {
  const headers = server.operatorHeaders;
  return server.app.inject({ method, url: `/api/v1${path}`, headers, ...(payload ? { payload } : {}) });
}

const organizationPath = () => `/${server.first.organization.id}`;

async function enable(enabled: boolean): Promise<void> {
  const answer = await operator("PUT", organizationPath(), { enabled });
  expect([answer.statusCode, answer.json()]).toMatchObject([200, { namespace: "default", enabled }]);
}

async function whileDisabled(work: () => Promise<void>): Promise<void> {
  await enable(false);
  try {
    await work();
  } finally {
    await enable(true);
  }
}

type Answer = Promise<{ statusCode: number; json(): { error?: { code: string } } }>;

const doors: [string, () => Answer][] = [
  ["the API, with a secret", () => sender.call("GET", "/app")],
  ["a search", () => sender.call("POST", "/search/user_reports", { payload: {} })],
  ["the gateway", () => sender.post([sender.traits(ann, { plan: "pro" })])],
  ["an upload", () => upload()],
  ["a new job", () => sender.call("POST", "/extract/users", { payload: { url: null, format: "csv", query: {} } })],
  ["a call with the token of a user", () => sender.callAs(ann, "GET", "/me/user_report")],
  ["tracking with the token of a user", () => sender.callAs(ann, "POST", "/t", { payload: { event: "X" } })],
  ["a sign-in", () => signIn()],
  ["an anonymous browser", () => server.app.inject("/api/v1/me")],
  ["the deployments of a platform", () => server.app.inject(`/api/v1/${platformId}/deployments`)],
  ["signing out", () => server.app.inject("/api/v1/logout")],
  ["a download", () => server.app.inject(download)],
  ["the operator, for anything but the organization", () => operator("GET", "/connectors")],
  ["the operator, for an object of the organization", () => operator("GET", `/${server.first.connector.id}`)],
];

function upload() {
  const headers = { "content-type": "application/octet-stream" };
  return sender.call("PUT", `/uploads/${uploadId}?offset=0`, { headers, payload: Buffer.alloc(0) });
}

function signIn() {
  const payload = { access_token: sender.token(ann) };
  return server.app.inject({ method: "POST", url: "/api/v1/users/login", payload });
}

describe("while an organization is disabled", () => {
  test.for(doors)("402 is the answer of %s, until it is enabled again", async ([, knock]) => {
    expect((await knock()).statusCode).toBeLessThan(300);
    await whileDisabled(async () => {
      const answer = await knock();
      expect([answer.statusCode, answer.json().error?.code]).toEqual([402, "organization_disabled"]);
    });
    expect((await knock()).statusCode).toBeLessThan(300);
  });

  test("the operator reads its record and renames it", async () => {
    await whileDisabled(async () => {
      for (const path of [organizationPath(), "/org"]) {
        expect((await operator("GET", path)).json()).toMatchObject({ namespace: "default", enabled: false });
      }
      const named = await operator("PUT", "/org", { name: "Renamed" });
      expect(named.json()).toMatchObject({ name: "Renamed", enabled: false });
      const list = (await operator("GET", "/organizations")).json<{ namespace: string; enabled: boolean }[]>();
      expect(list.map(({ namespace, enabled }) => [namespace, enabled])).toEqual([
        ["default", false],
        ["globex", true],
      ]);
      expect((await operator("POST", "/organizations", { namespace: "initech" })).statusCode).toBe(201);
    });
  });

  test("another organization works", async () => {
    await whileDisabled(async () => {
      await stranger.settle([stranger.traits(ann, { plan: "free" })]);
      expect(await stranger.user(ann.user)).toMatchObject({ traits_plan: "free" });
    });
  });

  test("its connectors are not told about changes, and are told all of them later", async () => {
    await app.until(({ userMessages }) => userMessages.length > 0);
    const before = app.calls.length;
    // Accepted before, and applied meanwhile.
    const { position } = await sender.send([sender.traits(ann, { plan: "enterprise" })]);
    await enable(false);
    const sent = app.calls.length;
    await vi.waitFor(async () => {
      const { rows } = await server.database.query("select from outbox");
      expect(rows.length + (app.calls.length - before)).toBeGreaterThan(0);
    }, PATIENCE);
    const calls = app.calls.length;
    expect(calls - sent).toBeLessThanOrEqual(1);
    await enable(true);
    await sender.waitFor(position);
    await app.until(({ userMessages }) => userMessages.at(-1)?.user.traits_plan === "enterprise");
  });

  test("its schedules wait, and go on when it is enabled", async () => {
    const setDue = () => server.database.query("update schedule_runs set due_at = now()");
    const isTaken = async () => {
      // Makes the scheduler look now.
      await server.database.query("select pg_notify('connectors_changed', '')");
      const { rows } = await server.database.query("select from schedule_runs where due_at > now()");
      return rows.length === 1;
    };
    const calls = () => app.calls.filter(({ path }) => path === "/sync").length;
    await whileDisabled(async () => {
      await setDue();
      await vi.waitUntil(isTaken, PATIENCE);
    });
    expect(calls()).toBe(0);
    await setDue();
    await vi.waitUntil(isTaken, PATIENCE);
    await app.until(() => calls() === 1);
  });

  test("a job waits, and goes on when it is enabled", async () => {
    await enable(false);
    const { rows } = await server.database.query<{ id: string }>(
      `insert into jobs (organization_id, id, type, object, name, connector_id, parameters, sealed_url)
       select organization_id, overlay(id placing 'ffff' from 21), type, object, name, connector_id, parameters, sealed_url
       from jobs where type = 'extract' order by id limit 1
       returning id`,
    );
    const jobId = rows[0]?.id ?? "";
    const status = async () =>
      (await server.database.query<{ status: string }>("select status from jobs where id = $1", [jobId])).rows[0]
        ?.status;
    // A job of the other organization that is scheduled later is taken first.
    const other = await stranger.call("POST", "/extract/users", { payload: { url: null, format: "csv", query: {} } });
    await vi.waitFor(async () => {
      expect((await stranger.call("GET", `/${other.json().id}`)).json().status).toBe("completed");
    }, PATIENCE);
    expect(await status()).toBe("scheduled");
    await enable(true);
    expect((await ended(server, jobId)).status).toBe("completed");
  });

  test("a job that runs stops, and goes on when it is enabled", async () => {
    const requests: ServerResponse[] = [];
    const file = await startWebServer((_request, response) => {
      // The first download never ends.
      if (requests.push(response) === 1) response.write("{");
      else response.end(JSON.stringify({ email: "imported@example.com" }));
    });
    try {
      const payload = { url: `${file.url}/users.json`, format: "json" };
      const { id } = (await sender.call("POST", "/import/users", { payload })).json<{ id: string }>();
      await vi.waitUntil(() => requests.length === 1, PATIENCE);
      await whileDisabled(async () => {
        await vi.waitFor(async () => {
          const { rows } = await server.database.query("select status, lease_holder from jobs where id = $1", [id]);
          expect(rows).toEqual([{ status: "running", lease_holder: null }]);
        }, PATIENCE);
        expect(requests).toHaveLength(1);
      });
      expect(await ended(server, id)).toMatchObject({ status: "completed", progress: { processed: 1 } });
    } finally {
      await file.close();
    }
  });
});

test("only the operator changes an organization", async () => {
  const path = organizationPath();
  for (const [method, payload] of [["PUT", { enabled: false }], ["DELETE"]] as const) {
    const options = payload ? { payload } : {};
    expect((await sender.call(method, path, options)).statusCode).toBe(403);
    expect((await stranger.call(method, path, options)).statusCode).toBe(403);
    expect((await sender.callAs(ann, method, path, options)).statusCode).toBe(403);
    expect((await server.app.inject({ method, url: `/api/v1${path}`, ...options })).statusCode).toBe(401);
  }
  expect((await operator("GET", "/org")).json()).toMatchObject({ enabled: true });
});

test.each([
  ["no change", {}, "missing_parameters"],
  ["a text as enabled", { enabled: "no" }, "invalid_parameter"],
  ["an empty name", { name: "" }, "invalid_parameter"],
  ["a long name", { name: "x".repeat(201) }, "invalid_parameter"],
  ["a field that cannot be changed", { enabled: true, namespace: "other" }, "invalid_parameter"],
])("a change of an organization with %s is refused", async (_name, payload, code) => {
  const answer = await operator("PUT", organizationPath(), payload);
  expect([answer.statusCode, answer.json().error.code]).toEqual([400, code]);
});

test("an unknown organization cannot be changed", async () => {
  const { id } = server.first.organization;
  const unknown = `${id.slice(0, -4)}${id.endsWith("0000") ? "1111" : "0000"}`;
  expect((await operator("PUT", `/${unknown}`, { enabled: false })).statusCode).toBe(404);
});
