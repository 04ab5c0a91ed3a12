import { expect, test } from "vitest";
import { withTestServer } from "../../testing/test-server.js";

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
