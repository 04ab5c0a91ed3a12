import { expect, test } from "vitest";
import { withTestServer } from "../../testing/test-server.js";

test("a time that does not exist is refused, also the leap second that the standard allows", async () => {
  await withTestServer({}, async ({ app, operatorHeaders: headers }) => {
    const list = async (to: string) => (await app.inject({ url: `/api/v1/audit?to=${to}`, headers })).statusCode;
    expect(await list("2016-12-31T23:59:59Z")).toBe(200);
    expect(await list("2016-12-31T23:59:60Z")).toBe(400);
    expect(await list("2016-02-30T00:00:00Z")).toBe(400);
  });
});

test("a request without a body is refused, and the answer names every required parameter", async () => {
  await withTestServer({}, async ({ app, connectorHeaders }) => {
    const call = (method: "POST" | "PUT", path: string) =>
      app.inject({ method, url: `/api/v1${path}`, headers: connectorHeaders });
    const messages = await Promise.all([
      call("POST", "/import/users"),
      call("POST", "/extract/users"),
      call("POST", "/users_segments"),
      call("POST", "/search/user_report"),
      call("PUT", "/app/status"),
    ]);
    expect(messages.map((answer) => [answer.statusCode, answer.json().error.code, answer.json().message])).toEqual([
      [400, "missing_parameters", "Required parameters are missing: url, format."],
      [400, "missing_parameters", "Required parameters are missing: url, format, query."],
      [400, "missing_parameters", "Required parameters are missing: name, query, predicate."],
      [400, "missing_parameters", "Required parameters are missing: query, sort, raw, page, per_page."],
      [400, "missing_parameters", "Required parameters are missing: status, messages."],
    ]);
  });
});
