import { expect, test } from "vitest";
import { parseArguments } from "./parse-arguments.js";

test("a name alone has the scale 1 and no time", () => {
  expect(parseArguments(["client"])).toEqual({ name: "client", scale: 1, help: false });
});

test("options may stand before and after the name", () => {
  const expected = { name: "replace", scale: 0.1, seconds: 3_600, help: false };
  expect(parseArguments(["--scale", "0.1", "replace", "--seconds=3600"])).toEqual(expected);
});

test("a run with faults takes its minutes and its seed", () => {
  expect(parseArguments(["chaos", "--minutes", "1", "--seed=7"])).toMatchObject({ minutes: 1, seed: 7 });
});

test("options are read after a second separator of npm too", () => {
  expect(parseArguments(["soak", "--", "--minutes", "60"])).toMatchObject({ name: "soak", minutes: 60 });
});

test("a run about growth takes the number of users, and any run the folder for its files", () => {
  expect(parseArguments(["growth", "--users", "200000", "--out=here"])).toMatchObject({ users: 200_000, out: "here" });
});

test("without arguments there is no name", () => {
  expect(parseArguments([]).name).toBeUndefined();
});

test.each(["0", "-1", "many", ""])("a scale or time of %j is refused", (value) => {
  expect(() => parseArguments(["client", `--scale=${value}`])).toThrow(
    `--scale must be a number above 0, not "${value}".`,
  );
  expect(() => parseArguments(["client", `--seconds=${value}`])).toThrow("--seconds must be a number above 0");
});

test("an unknown option is refused", () => {
  expect(() => parseArguments(["client", "--speed", "2"])).toThrow("--speed");
});
