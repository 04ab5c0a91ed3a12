import { describe, expect, test } from "vitest";
import { shorten } from "./shorten.js";

const TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiIwMThmNmQyYjRjMDAwMmExYjIwMDAwMDEifQ.c2lnbmF0dXJl";

describe("a body that is kept for people who watch", () => {
  test("is the same when it is small", () => {
    const body = { event: "Ordered", properties: { total: 20, paid: true, tags: ["a", "b"], none: null } };
    expect(shorten(body)).toEqual({ value: body, isShortened: false });
  });

  test("has no token and no secret", () => {
    const { value } = shorten({
      access_token: "abc",
      "api-key": "abc",
      nested: { Password: { old: "abc" }, note: `the token is ${TOKEN}` },
      url: "https://www.example.com/?a=1&access_token=abc&b=2",
      keyboard: "qwerty",
    });
    expect(value).toEqual({
      access_token: "[private]",
      "api-key": "[private]",
      nested: { Password: "[private]", note: "the token is [private]" },
      url: "https://www.example.com/?a=1&access_token=[private]&b=2",
      keyboard: "qwerty",
    });
    expect(JSON.stringify(shorten({ long: `${"x".repeat(470)} ${TOKEN}` }))).not.toContain("eyJ");
  });

  test("is small whatever was sent, and says that parts are missing", () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 50; depth++) deep = { deep };
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`key ${at}`, at]));
    for (const large of [{ text: "x".repeat(1_000_000) }, wide, { deep }, { list: Array(100_000).fill(1) }]) {
      const { value, isShortened } = shorten(large);
      expect(isShortened).toBe(true);
      expect(JSON.stringify(value).length).toBeLessThan(10_000);
    }
  });
});
