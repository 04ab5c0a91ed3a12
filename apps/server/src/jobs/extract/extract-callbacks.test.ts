import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type JobAnswer, PATIENCE } from "../../testing/bulk.js";
import { ConnectorApp, smartManifest } from "../../testing/connector-app.js";
import { openOrganization, Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

let server: TestServer;
let app: ConnectorApp;
let owner: Sender;

beforeAll(async () => {
  // Private addresses are refused: only the trust in an installed connector lets a call reach this machine.
  server = await openTestServer({ ALLOW_PRIVATE_NETWORK: "false" });
  app = await ConnectorApp.open(smartManifest({ subscriptions: [] }), () => ({}));
  const { id, secret } = await app.install(server);
  owner = new Sender(server, { id, secret });
});
afterAll(async () => {
  await server.close();
  await app.close();
});

/** Requests an extract and returns its job once the address was called, or once the call has failed. */
async function extractTo(url: string, by: Sender): Promise<JobAnswer> {
  const created = await by.call("POST", "/extract/users", { payload: { url, format: "json", query: {} } });
  expect([created.statusCode, created.body]).toEqual([201, expect.any(String)]);
  const { id } = created.json<{ id: string }>();
  return vi.waitUntil(async () => {
    const body = (await by.call("GET", `/${id}`)).json<JobAnswer>();
    return body.callback?.error || body.callback?.called_at ? body : undefined;
  }, PATIENCE);
}

test.each(["https://127.0.0.1/batch?source=connector&x=1", "http://127.0.0.1:1/batch?source=connector&x=1"])(
  "an extract that a connector requests for %s is sent to the origin that it was installed from",
  async (url) => {
    app.calls.length = 0;
    expect((await extractTo(url, owner)).callback).toMatchObject({ attempts: 1, error: null });
    expect(app.calls).toHaveLength(1);
    expect(app.calls[0]).toMatchObject({ path: "/batch", body: { channel: "user:extract" } });
    expect(Object.fromEntries(app.calls[0]!.query)).toEqual({ source: "connector", x: "1" });
  },
);

test("an address of another host stays as it was given, and a private one is refused", async () => {
  app.calls.length = 0;
  const port = new URL(app.url).port;
  const job = await extractTo(`http://localhost:${port}/batch`, owner);
  expect(job.callback?.error).toContain("not a public address");
  expect(app.calls).toEqual([]);
});

test("the address of a connector is not trusted in a job of another connector", async () => {
  app.calls.length = 0;
  const job = await extractTo("https://127.0.0.1/batch", new Sender(server));
  expect(job.callback?.error).toContain("not a public address");
  expect(app.calls).toEqual([]);
});

test("calls of one organization that get no answer delay those of no other", async () => {
  app.calls.length = 0;
  const hanging: ServerResponse[] = [];
  app.respond = (_call, response) => void hanging.push(response);
  const payload = { url: `${app.url}/batch`, format: "json", query: {} };
  for (let extract = 0; extract < 3; extract++) await owner.call("POST", "/extract/users", { payload });
  await app.until(() => hanging.length === 2);
  const elsewhere = await openOrganization(server, "elsewhere");
  expect((await extractTo("https://127.0.0.1/batch", elsewhere)).callback).toMatchObject({ attempts: 1 });
  expect(hanging).toHaveLength(2);
  app.respond = () => ({});
  for (const response of hanging) response.end("{}");
  await app.until(({ calls }) => calls.length === 3);
});
