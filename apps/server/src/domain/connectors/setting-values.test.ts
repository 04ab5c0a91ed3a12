import { expect, test } from "vitest";
import { settingValue } from "./setting-values.js";

test.each([
  ["private_settings.a", 1],
  ["private_settings.deep.b", 2],
  ["settings.c", 3],
  ["private_settings.missing", undefined],
  ["private_settings.a.b", undefined],
  ["private_settings.constructor", undefined],
  ["secret", undefined],
])("the setting at %s is %s", (path, expected) => {
  expect(settingValue({ settings: { c: 3 }, private_settings: { a: 1, deep: { b: 2 } } }, path)).toBe(expected);
});
