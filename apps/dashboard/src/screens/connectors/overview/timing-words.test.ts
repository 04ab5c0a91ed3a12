import { expect, test } from "vitest";
import { timingWords } from "./timing-words.js";

test.each([
  ["interval 1", "every minute"],
  ["interval 5", "every 5 minutes"],
  ["interval 90", "every 90 minutes"],
  ["interval 60", "every hour"],
  ["interval 180", "every 3 hours"],
  ["interval 1440", "every day"],
  ["cron */30 * * * *", "*/30 * * * * (cron, UTC)"],
  ["something else", "something else"],
])("%s is %s", (timing, words) => {
  expect(timingWords(timing)).toBe(words);
});
