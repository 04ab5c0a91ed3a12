import { expect, test } from "vitest";
import { draftOf } from "./draft.js";

test("without a draft the saved code is shown", () => {
  expect(draftOf(undefined, "saved")).toEqual({ code: "saved", isChanged: false, isBehind: false });
});

test("a draft that is like the saved code is no change", () => {
  expect(draftOf({ code: "saved", base: "before" }, "saved")).toMatchObject({ isChanged: false, isBehind: false });
});

test("a draft is behind when somebody else has saved other code since it was begun", () => {
  expect(draftOf({ code: "mine", base: "saved" }, "saved")).toMatchObject({ isChanged: true, isBehind: false });
  expect(draftOf({ code: "mine", base: "saved" }, "theirs")).toMatchObject({ isChanged: true, isBehind: true });
});
