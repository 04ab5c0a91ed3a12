import { expect, test } from "vitest";
import { Pauses } from "./pauses.js";

test("the longest pause is between two things that follow each other, whatever the order in which they are noticed", () => {
  const pauses = new Pauses();
  pauses.notice(1_000);
  expect(pauses.longestMs).toBe(0);
  pauses.notice(1_300);
  pauses.notice(1_200);
  pauses.notice(1_400);
  expect(pauses.longestMs).toBe(300);
});
