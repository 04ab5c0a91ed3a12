import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { checkOptions, type InitOptions, optionsOfScript } from "./options.js";

const GOOD = { platformId: "p1", orgUrl: "https://acme.example.com/some/path" };

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => undefined));
afterEach(() => void vi.restoreAllMocks());

describe("options", () => {
  test("are used when they are right, with the origin of the organization's address", () => {
    const { options, problem } = checkOptions({ ...GOOD, anonymousId: "", embed: false });
    expect(problem).toBeUndefined();
    expect({ ...options }).toEqual({ platformId: "p1", orgUrl: "https://acme.example.com", embed: false });
  });

  test.each([
    [undefined, /platformId is missing; orgUrl is missing/],
    [{}, /platformId is missing; orgUrl is missing/],
    [{ ...GOOD, platformId: 7 }, /platformId must be a text/],
    [{ ...GOOD, orgUrl: 7 }, /orgUrl must be a text/],
    [{ ...GOOD, orgUrl: "acme" }, /orgUrl must be an http\(s\) address/],
    [{ ...GOOD, orgUrl: "javascript:alert(1)" }, /orgUrl must be an http\(s\) address/],
    [{ ...GOOD, anonymousId: "a b" }, /anonymousId must have/],
    [{ ...GOOD, sessionId: "x".repeat(200) }, /sessionId must have/],
  ])("%j are refused without an exception", (given, message) => {
    const { problem } = checkOptions(given as InitOptions);
    expect(problem).toMatchObject({ code: "invalid_argument", message: expect.stringMatching(message) });
  });

  test("are not read from a prototype that a script has changed", () => {
    const given = Object.assign(Object.create({ anonymousId: "polluted" }), GOOD);
    expect(checkOptions(given).options.anonymousId).toBeUndefined();
  });

  test("are read from the attributes of a script tag", () => {
    const dataset = { platformId: "p1", orgUrl: "https://a.test", debug: "", embed: "false", accessToken: "t" };
    expect(optionsOfScript({ dataset } as unknown as HTMLElement)).toEqual({
      platformId: "p1",
      orgUrl: "https://a.test",
      accessToken: "t",
      debug: true,
      embed: false,
    });
  });
});
