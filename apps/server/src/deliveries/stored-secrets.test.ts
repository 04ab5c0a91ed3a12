import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startWebServer, type WebServer } from "../../../../testing/start-web-server.js";
import { type JobAnswer, PATIENCE } from "../testing/bulk.js";
import { ConnectorApp, smartManifest } from "../testing/connector-app.js";
import { placesOf } from "../testing/everything-stored.js";
import { Sender } from "../testing/sender.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";

const PRIVATE = "private-setting-9d1f7c";
const PASSWORD = "password-5c1e0b";

let muster: TestServer;
let sender: Sender;
let app: ConnectorApp;
let web: WebServer;
let connector: { id: string; secret: string; organization: string };

beforeAll(async () => {
  muster = await openTestServer({
    DELIVERY_RETRY_MS: "20",
    DELIVERY_ATTEMPTS: "2",
    ALLOW_PRIVATE_NETWORK: "true",
  });
  await muster.listen();
  sender = new Sender(muster);
  app = await ConnectorApp.open(smartManifest({ tags: ["smart-notifier", "batch"], status: "/status" }));
  connector = await app.install(muster);
  web = await startWebServer((_request, response) => {
    response.writeHead(302, { location: `/again?secret=${connector.secret}` }).end();
  });
});
afterAll(async () => {
  await web.close();
  await app.close();
  await muster.close();
});

function operator(method: "GET" | "POST" | "PUT", path: string, payload?: object) {
  const headers = muster.operatorHeaders;
  return muster.app.inject({ method, url: `/api/v1${path}`, headers, ...(payload ? { payload } : {}) });
}

const setPrivate = (extra: object = {}) =>
  operator("PUT", `/${connector.id}`, { private_settings: { api_key: PRIVATE, ...extra } });

const unsealed = () => placesOf(muster, connector.secret, PRIVATE, PASSWORD);

async function deadLetters(channel: string): Promise<{ id: number }[]> {
  return vi.waitUntil(async () => {
    const letters = (await operator("GET", `/dead_letters?connector_id=${connector.id}&channel=${channel}`)).json();
    return letters.length > 0 ? letters : undefined;
  }, PATIENCE);
}

describe("the secret and the private settings of a connector", () => {
  test("are not in messages that wait in its queue, and are in the call when it is made", async () => {
    await operator("PUT", `/${connector.id}`, { enabled: false, when_disabled: "hold" });
    await setPrivate();
    await sender.settle([sender.traits({ user: { external_id: "queued" } }, { plan: "pro" })]);
    await vi.waitFor(async () => {
      const { rows } = await muster.database.query("select from outbox where channel = 'ship:update'");
      expect(rows.length).toBeGreaterThan(0);
    }, PATIENCE);
    expect(await unsealed()).toEqual([]);
    await operator("PUT", `/${connector.id}`, { enabled: true });
    await app.until(({ notifications }) => notifications.some(({ channel }) => channel === "ship:update"));
    const notice = app.notifications.find(({ channel }) => channel === "ship:update");
    expect(notice?.messages[0]).toMatchObject({
      id: connector.id,
      secret: connector.secret,
      private_settings: { api_key: PRIVATE },
    });
  });

  test("are not in dead letters and traces, also when the connector answers with what it was sent", async () => {
    app.respond = (call, response) => void response.writeHead(400).end(call.text);
    await setPrivate({ n: 1 });
    const [letter] = await deadLetters("ship:update");
    const shown = await operator("GET", `/dead_letters/${letter?.id}`);
    expect(shown.json()).toMatchObject({ message: { body: { id: connector.id } }, answer: { status: 400 } });
    expect(shown.body).not.toContain(PRIVATE);
    expect(shown.body).not.toContain(connector.secret);
    await sender.settle([sender.traits({ user: { external_id: "refused" } }, { plan: "pro" })]);
    await deadLetters("user:update");
    expect(await unsealed()).toEqual([]);

    app.respond = () => ({ flow_control: { type: "next" } });
    app.calls.length = 0;
    await operator("POST", "/dead_letters/retry", { ids: [letter?.id] });
    await app.until(({ notifications }) => notifications.some(({ channel }) => channel === "ship:update"));
    const notice = app.notifications.find(({ channel }) => channel === "ship:update");
    expect(notice?.messages[0]).toMatchObject({ private_settings: { api_key: PRIVATE, n: 1 } });
  });

  test("are not in the parameters and errors of jobs, whose calls are made with them", async () => {
    const headers = { "svc-app-id": connector.id, "svc-access-token": connector.secret };
    const post = (path: string, payload: object) =>
      muster.app.inject({ method: "POST", url: `/api/v1${path}`, headers, payload });
    const query = `organization=x&ship=${connector.id}&secret=${connector.secret}`;
    app.calls.length = 0;
    const elsewhere = web.url.replace("127.0.0.1", "localhost");
    const answers = [
      await post("/extract/user_reports", { url: `${app.url}/batch?${query}`, format: "json", query: {} }),
      // By another name: an address at the host of the connector would be taken for its own.
      await post("/extract/user_reports", { url: `${elsewhere}/back?${query}`, format: "json", query: {} }),
      await post("/import/users", { url: `${web.url.replace("//", `//me:${PASSWORD}@`)}/f?${query}`, format: "json" }),
      await operator("POST", `/${connector.id}/export`, { object: "users" }),
    ];
    const ids = answers.slice(0, 3).map((answer) => answer.json<JobAnswer>().id);
    await app.until(({ calls }) => calls.some(({ path }) => path === "/batch"));
    expect(app.calls.find(({ path }) => path === "/batch")?.query.get("secret")).toBe(connector.secret);
    await vi.waitFor(async () => {
      const jobs = await Promise.all(ids.map(async (id) => (await operator("GET", `/${id}`)).json<JobAnswer>()));
      expect(jobs[1]?.callback?.error).toContain("redirects more than");
      expect(jobs[2]?.error).toContain("redirects more than");
    }, PATIENCE);
    expect(await unsealed()).toEqual([]);
  });

  test("are not in what a connector logs and in the status it gives", async () => {
    const headers = { "svc-app-id": connector.id, "svc-access-token": connector.secret };
    const line = { level: "error", message: `key ${PRIVATE}`, data: { url: `http://x/?secret=${connector.secret}` } };
    const logged = await muster.app.inject({
      method: "POST",
      url: `/api/v1/${connector.id}/logs`,
      headers,
      payload: [line],
    });
    expect(logged.statusCode).toBeLessThan(300);
    const status = { status: "error", messages: [`The key ${PRIVATE} is wrong.`] };
    await muster.app.inject({ method: "PUT", url: `/api/v1/${connector.id}/status`, headers, payload: status });
    expect(await unsealed()).toEqual([]);
    expect((await operator("GET", `/${connector.id}`)).json().status.messages).toEqual(["The key [private] is wrong."]);
  });
});
