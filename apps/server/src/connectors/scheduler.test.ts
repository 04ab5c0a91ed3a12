import { afterEach, describe, expect, test, vi } from "vitest";
import { openDatabase } from "../storage/postgres/database.js";
import { ConnectorApp, smartManifest } from "../testing/connector-app.js";
import { createTestDatabase } from "../testing/test-database.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";

/** Minutes: about half a second. */
const SOON = "0.008";

let app: ConnectorApp;
let muster: TestServer;

afterEach(async () => {
  await muster.close();
  await app.close();
});

async function start(parts: Record<string, unknown>, environment: Record<string, string> = {}) {
  app = await ConnectorApp.open(smartManifest({ subscriptions: [], ...parts }), () => ({}));
  muster = await openTestServer({ DELIVERY_TIMEOUT_MS: "500", ...environment });
  await muster.listen();
  return app.install(muster);
}

function operator(method: "GET" | "PUT", path: string, payload?: object) {
  const headers = muster.operatorHeaders;
  return muster.app.inject({ method, url: `/api/v1${path}`, headers, ...(payload ? { payload } : {}) });
}

test("a change of the connectors that could not be stored is stored by a later step, without another change", async () => {
  muster = await openTestServer();
  await muster.listen();
  app = await ConnectorApp.open(
    smartManifest({
      subscriptions: [],
      schedules: [{ url: "/sync", type: "interval", value: SOON, handler: "sync" }],
    }),
    () => ({}),
  );
  await muster.database.query("alter table schedule_runs rename to schedule_runs_away");
  await app.install(muster);
  // Long enough for the step that the change has woken to fail.
  await new Promise((resolve) => setTimeout(resolve, 300));
  await muster.database.query("alter table schedule_runs_away rename to schedule_runs");
  await app.until(({ calls }) => calls.length >= 1, 15_000);
});

describe("a schedule", () => {
  test("it is called repeatedly, with the credentials in the query, and the connector and segments in the body", async () => {
    const { id, secret, organization } = await start({
      schedules: [{ url: "/sync", type: "interval", value: SOON, handler: "sync" }],
    });
    await app.until(({ calls }) => calls.length >= 2);
    const [call] = app.calls;
    expect(call).toMatchObject({ method: "POST", path: "/sync" });
    expect(Object.fromEntries(call!.query)).toEqual({ organization, ship: id, id, secret });
    expect(call?.body).toMatchObject({
      connector: { id, secret, private_settings: {} },
      segments: [],
      accounts_segments: [],
    });
    await vi.waitFor(async () => {
      const schedules = (await operator("GET", `/${id}/schedules`)).json();
      expect(schedules).toMatchObject([
        {
          kind: "schedule",
          url: "/sync",
          timing: `interval ${SOON}`,
          last_result: "ok",
          last_duration_ms: expect.any(Number),
        },
      ]);
    });
  });

  test("it follows a change of the setting that gives its interval", async () => {
    const { id } = await start({
      private_settings: [{ name: "every", type: "number", default: 60 }],
      schedules: [{ url: "/sync", type: "interval", value_from: "private_settings.every", default: "180" }],
    });
    await vi.waitFor(async () => {
      expect((await operator("GET", `/${id}/schedules`)).json()).toMatchObject([{ timing: "interval 60" }]);
    });
    await operator("PUT", `/${id}`, { private_settings: { every: Number(SOON) } });
    await app.until(({ calls }) => calls.length >= 1);
  });

  test("a schedule that fails shows the reason, and other schedules still run", async () => {
    const { id } = await start({
      schedules: [
        { url: "/broken", type: "interval", value: SOON },
        { url: "/silent", type: "interval", value: SOON },
        { url: "/fine", type: "interval", value: SOON },
      ],
    });
    app.respond = ({ path }, response) => {
      if (path === "/broken") return response.writeHead(500).end() && undefined;
      return path === "/silent" ? undefined : {};
    };
    await app.until(({ calls }) => calls.filter(({ path }) => path === "/fine").length >= 2);
    await vi.waitFor(async () => {
      const results = (await operator("GET", `/${id}/schedules`)).json<{ url: string; last_result: string }[]>();
      expect(Object.fromEntries(results.map(({ url, last_result }) => [url, last_result]))).toEqual({
        "/broken": "status 500",
        "/fine": "ok",
        "/silent": expect.stringContaining("did not answer within 500 ms"),
      });
    }, 10_000);
  });

  test("a schedule of a disabled connector is not called", async () => {
    const { id } = await start({ schedules: [{ url: "/sync", type: "interval", value: SOON }] });
    await app.until(({ calls }) => calls.length >= 1);
    await operator("PUT", `/${id}`, { enabled: false });
    await vi.waitFor(async () => expect((await operator("GET", `/${id}/schedules`)).json()).toEqual([]));
  });
});

test("runs that were missed while the server was stopped are made up for by one call", async () => {
  const environment = { DATABASE_URL: await createTestDatabase(), SECRET_KEY: "kept over the restart" };
  const { id } = await start(
    {
      schedules: [
        { url: "/hourly", type: "interval", value: "60" },
        { url: "/nightly", type: "cron", value: "0 3 * * *" },
      ],
    },
    environment,
  );
  await vi.waitFor(async () => expect((await operator("GET", `/${id}/schedules`)).json()).toHaveLength(2));
  await muster.close();
  expect(app.calls).toEqual([]);
  const quiet = { slowQueryMs: 60_000, onSlowQuery: () => {}, onError: () => {} };
  const database = openDatabase({ url: environment.DATABASE_URL, ...quiet });
  await database.query("update schedule_runs set due_at = now() - interval '3 days'");
  await database.close();

  muster = await openTestServer(environment);
  await muster.listen();
  await app.until(({ calls }) => calls.length >= 2);
  await vi.waitFor(async () => {
    const schedules = (await operator("GET", `/${id}/schedules`)).json<{ due_at: string; last_result: string }[]>();
    expect(schedules.map(({ last_result }) => last_result)).toEqual(["ok", "ok"]);
    for (const { due_at } of schedules) expect(Date.parse(due_at)).toBeGreaterThan(Date.now());
  });
  expect(app.calls.map(({ path }) => path).sort()).toEqual(["/hourly", "/nightly"]);
});

test("the status is polled and stored, and each change of it is kept in the history", async () => {
  let answer: object = { status: "warning", messages: ["Key expires soon"] };
  const { id } = await start({
    status: { url: "/status", type: "interval", value: SOON, initial_value: "setupRequired" },
  });
  app.respond = () => answer;
  expect((await operator("GET", `/${id}/status`)).json()).toMatchObject({ status: "setupRequired" });
  await vi.waitFor(
    async () => {
      const status = (await operator("GET", `/${id}/status`)).json();
      expect(status).toMatchObject({ status: "warning", messages: ["Key expires soon"] });
    },
    { timeout: 10_000 },
  );
  answer = { status: "fabulous" };
  await app.until(({ calls }) => calls.length >= 4);
  await operator("PUT", `/${id}/status`, { status: "error", messages: ["Stop"] });
  const history = (await operator("GET", `/${id}/status/history`)).json();
  expect(history).toMatchObject([
    { status: "error", messages: ["Stop"], source: "operator" },
    { status: "warning", messages: ["Key expires soon"], source: "poll" },
    { status: "setupRequired", messages: [], source: "install" },
  ]);
});

test("a connector is asked for its status as soon as a person has changed its settings", async () => {
  const { id } = await start({
    settings: [{ name: "color", type: "string" }],
    status: { url: "/status", type: "interval", value: "60", initial_value: "setupRequired" },
  });
  const asked = () => app.calls.filter(({ path }) => path.startsWith("/status")).length;
  await vi.waitFor(async () => {
    expect((await operator("GET", `/${id}/schedules`)).json()).toHaveLength(1);
  });
  expect(asked()).toBe(0);
  expect((await operator("PUT", `/${id}`, { settings: { color: "red" } })).statusCode).toBe(200);
  await app.until(() => asked() >= 1, 15_000);
});
