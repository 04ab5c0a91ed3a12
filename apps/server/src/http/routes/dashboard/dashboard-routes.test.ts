import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.close());

test("every address of the dashboard answers with its page, which nobody may keep or put into a frame", async () => {
  for (const url of ["/", "/sign-in", "/sign-in/link/abc", "/invitations/abc", "/o/some-organization/users/1?tab=x"]) {
    const { statusCode, headers, body } = await server.app.inject({ url });
    expect([url, statusCode]).toEqual([url, 200]);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(headers["cache-control"]).toBe("no-store");
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain("unsafe");
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
    expect(body).toContain(`content="${nonce}"`);
    expect(body).toContain('name="muster-brand" content="Svc"');
    expect(body).not.toContain("__MUSTER");
  }
});

test("an address that is not there answers a browser with the page and a program with JSON", async () => {
  const open = (url: string, accept: string) => server.app.inject({ url, headers: { accept } });
  const page = await open("/nonsense", "text/html,application/xhtml+xml,*/*;q=0.8");
  expect([page.statusCode, page.headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
  expect(page.headers["content-security-policy"]).toContain("nonce-");
  for (const answer of [
    await open("/nonsense", "*/*"),
    await open("/api/v1/nonsense/x", "text/html"),
    await open("/assets/nothing.js", "text/html"),
  ]) {
    expect(answer.statusCode).toBe(404);
    expect(answer.headers["content-type"]).toContain("application/json");
  }
});

test("each answer has a nonce of its own", async () => {
  const [one, other] = await Promise.all([server.app.inject({ url: "/" }), server.app.inject({ url: "/" })]);
  expect(one.headers["content-security-policy"]).not.toBe(other.headers["content-security-policy"]);
});

test("files are sent compressed and may be kept for a year, because their names change with them", async () => {
  const { body } = await server.app.inject({ url: "/" });
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(body)?.[1] ?? "";
  const answer = await server.app.inject({ url: script, headers: { "accept-encoding": "gzip, br" } });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers["content-encoding"]).toBe("br");
  expect(answer.headers["cache-control"]).toContain("immutable");
});

test.each([
  ["/assets/nothing.js", 404],
  ["/assets/..%2f..%2fpackage.json", 400],
  ["/assets/%2e%2e/package.json", 404],
])("%s is not there", async (url, status) => {
  expect((await server.app.inject({ url })).statusCode).toBe(status);
});
