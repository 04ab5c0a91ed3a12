import { expect, test } from "vitest";
import { createContextReaders } from "./context-readers.js";

const { locate, readUserAgent } = createContextReaders(undefined);
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";

test("a user agent is parsed once, and the result is used again", () => {
  const first = readUserAgent(FIREFOX);
  expect(first).toMatchObject({ browser: { name: "Firefox", version: "128.0" }, os: { name: "Linux" } });
  expect(readUserAgent(FIREFOX)).toBe(first);
});

test("a user agent of more than 500 characters is parsed, and not kept", () => {
  const long = FIREFOX.padEnd(501, " x");
  const first = readUserAgent(long);
  expect(first).toMatchObject({ browser: { name: "Firefox" } });
  expect(readUserAgent(long)).not.toBe(first);
});

test("a text that is no address has no location, also when it is asked for again", () => {
  expect(locate("8.8.8.8")).toMatchObject({ country: "US" });
  expect(locate("nowhere")).toBeUndefined();
  expect(locate("nowhere")).toBeUndefined();
  expect(locate("9".repeat(10_000))).toBeUndefined();
});

test("the error about a file of locations names the setting", () => {
  expect(() => createContextReaders("/nonexistent/locations.mmdb")).toThrow(
    /^The file \/nonexistent\/locations\.mmdb of locations \(GEOIP_FILE\) cannot be read: ENOENT/,
  );
});
