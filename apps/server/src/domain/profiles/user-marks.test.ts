import { expect, test } from "vitest";
import { combineMarks } from "./user-marks.js";

const NO_MARKS = combineMarks(undefined, []);
const admin = { ...NO_MARKS, isAdmin: true };
const blocked = { ...NO_MARKS, approved: false };

test("a user without marks is approved and no admin", () => {
  expect(combineMarks(undefined, [])).toEqual({ isAdmin: false, approved: true, notifications: {} });
});

test("a merge makes nobody an admin, and the survivor stays one", () => {
  expect(combineMarks(undefined, [admin]).isAdmin).toBe(false);
  expect(combineMarks(NO_MARKS, [admin]).isAdmin).toBe(false);
  expect(combineMarks(admin, [NO_MARKS]).isAdmin).toBe(true);
});

test("a merge approves nobody", () => {
  expect(combineMarks(blocked, [NO_MARKS]).approved).toBe(false);
  expect(combineMarks(NO_MARKS, [blocked]).approved).toBe(false);
  expect(combineMarks(undefined, [blocked, NO_MARKS]).approved).toBe(false);
});

test("settings of both are kept, and those of the survivor win", () => {
  const own = { ...NO_MARKS, notifications: { mail: true } };
  const former = { ...NO_MARKS, notifications: { mail: false, push: true } };
  expect(combineMarks(own, [former]).notifications).toEqual({ mail: true, push: true });
});
