import { describe, expect, test } from "vitest";
import { hideInReason, hideSecrets } from "./hide-secrets.js";
import { outcomeOfError } from "./outcome-of-error.js";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const answered = (status: number, headers: Record<string, string> = {}) =>
  Object.assign(new Error("It answered."), {
    response: { status, headers: { get: (name: string) => headers[name] ?? null } },
  });

describe("an error of a destination", () => {
  test.each([
    ["an answer of 400", answered(400), "refused"],
    ["an answer of 404", answered(404), "refused"],
    ["an answer of 401", answered(401), "settings"],
    ["an answer of 403", answered(403), "settings"],
    ["an answer of 429", answered(429), "limited"],
    ["an answer of 408", answered(408), "retry"],
    ["an answer of 503", answered(503), "retry"],
    ["an answer that cannot be read", Object.assign(new Error("XML"), { $metadata: { httpStatusCode: 200 } }), "retry"],
    ["a connection that was refused", Object.assign(new Error("x"), { code: "ECONNREFUSED" }), "retry"],
    ["a time-out of the package", Object.assign(new Error("x"), { code: "REQUESTTIMEOUTERROR", status: 408 }), "retry"],
    [
      "a retryable error of the package",
      Object.assign(new Error("x"), { code: "RETRYABLE_ERROR", status: 500 }),
      "retry",
    ],
    ["a refresh that failed", Object.assign(new Error("x"), { code: "OAUTH_REFRESH_FAILED", status: 401 }), "settings"],
    [
      "an action that does not exist",
      Object.assign(new Error("x"), { code: "NotImplemented", status: 501 }),
      "refused",
    ],
    [
      "an address inside the network",
      Object.assign(new Error("x"), { cause: { problem: "refused_address" } }),
      "settings",
    ],
    ["a mistake in the code", new TypeError("x is not a function"), "refused"],
    ["something that is no error", "broken", "retry"],
  ])("%s", (_name, error, kind) => expect(outcomeOfError(error, NOW).kind).toBe(kind));

  test.each([
    ["30", NOW + 30_000],
    ["Thu, 01 Jan 2026 00:01:00 GMT", NOW + 60_000],
    ["", NOW + 60_000],
    ["soon", NOW + 60_000],
    ["-30", NOW],
    ["1e300", NOW + 86_400_000],
  ])("that limits calls with Retry-After %j is over at its time", (retryAfter, clearsAt) => {
    expect(outcomeOfError(answered(429, { "retry-after": retryAfter }), NOW).clearsAt).toBe(clearsAt);
  });
});

describe("secrets", () => {
  test("are hidden in the forms in which they are sent", () => {
    const secret = "p/w &1";
    const text = `a=${encodeURIComponent(secret)} b=${Buffer.from(secret).toString("base64")} {"c":"${secret}"}`;
    expect(hideSecrets(text, [secret])).toBe('a=[hidden] b=[hidden] {"c":"[hidden]"}');
  });

  test("are hidden in the address that a library puts into its reason", () => {
    const reason =
      "request to https://hooks.slack.com/services/T0/XXXXXXXXXXXXXXXXXXXXXXXX failed, reason: timeout of p/w";
    expect(hideInReason(reason, ["of p/w"])).toBe(
      "request to https://hooks.slack.com/services/T0/[hidden] failed, reason: timeout [hidden]",
    );
  });

  test("are hidden by their names, also when nobody knows the value", () => {
    expect(hideSecrets('{"access_token":"abc","name":"Ada"}', [])).toBe('{"access_token":"[hidden]","name":"Ada"}');
    expect(hideSecrets("GET https://a.example/?api_key=abc&page=1", [])).toBe(
      "GET https://a.example/?api_key=[hidden]&page=1",
    );
  });
});
