import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runJob } from "../../testing/bulk.js";
import { Sender } from "../../testing/sender.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

const ann = { user: { email: "ann@example.com" } };

let server: TestServer;
let sender: Sender;
let download: string;

beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
  await sender.settle([sender.traits(ann, { plan: "pro" })]);
  const job = await runJob(server, "/extract/users", { url: null, format: "csv", query: {} });
  const { pathname, search } = new URL(job.download_url ?? "");
  download = pathname + search;
});
afterAll(() => server.close());

async function enable(enabled: boolean): Promise<void> {
  const url = `/api/v1/${server.first.connector.id}`;
  const headers = server.operatorHeaders;
  const answer = await server.app.inject({ method: "PUT", url, headers, payload: { enabled } });
  expect([answer.statusCode, answer.json().enabled]).toEqual([200, enabled]);
}

const doors: [string, () => Promise<{ statusCode: number; json(): { error?: { code: string } } }>][] = [
  ["the API, with its secret", () => sender.call("GET", "/app")],
  ["the API, with its secret in the query", () => inQuery()],
  ["the gateway", () => sender.post([sender.traits(ann, { plan: "free" })])],
  ["a call with the token of a user", () => sender.callAs(ann, "GET", "/me/user_report")],
  ["a call for everybody with the token of a user", () => sender.callAs(ann, "GET", "/me")],
  [
    "a token with the scope admin",
    () => sender.callAs({ ...ann, claims: { scopes: ["admin"] } }, "GET", "/users_segments"),
  ],
  ["a sign-in with the token of a user", () => signIn()],
  ["tracking with the token of a user", () => sender.callAs(ann, "POST", "/t", { payload: { event: "X" } })],
  ["a download", () => server.app.inject(download)],
];

function inQuery() {
  const { id, secret } = server.first.connector;
  return server.app.inject(`/api/v1/app?id=${id}&secret=${secret}`);
}

function signIn() {
  const payload = { access_token: sender.token(ann) };
  return server.app.inject({ method: "POST", url: "/api/v1/users/login", payload });
}

describe("a disabled connector", () => {
  test.for(doors)("is refused by %s, and let in again when it is enabled", async ([, knock]) => {
    expect((await knock()).statusCode).toBeLessThan(300);
    await enable(false);
    try {
      const answer = await knock();
      expect([answer.statusCode, answer.json().error?.code]).toEqual([403, "connector_disabled"]);
    } finally {
      await enable(true);
    }
    expect((await knock()).statusCode).toBeLessThan(300);
  });

  test("is not told to callers with a wrong secret", async () => {
    await enable(false);
    try {
      const stranger = new Sender(server, { id: server.first.connector.id, secret: "wrong" });
      for (const answer of [await stranger.call("GET", "/app"), await stranger.callAs(ann, "GET", "/me")]) {
        expect([answer.statusCode, answer.body.includes("disabled")]).toEqual([401, false]);
      }
    } finally {
      await enable(true);
    }
  });
});

test("files of a disabled organization cannot be downloaded", async () => {
  await server.database.query("update organizations set enabled = false");
  try {
    expect((await server.app.inject(download)).statusCode).toBe(402);
  } finally {
    await server.database.query("update organizations set enabled = true");
  }
});
