import { expect, test } from "vitest";
import { standardEvents } from "./standard-events.js";

test.each([
  [["a"], [], ["HULL_ENTER_SEGMENT"]],
  [[], ["a"], ["HULL_LEAVE_SEGMENT"]],
  [["a", "b"], ["c"], ["HULL_ENTER_SEGMENT", "HULL_LEAVE_SEGMENT"]],
  [[], [], []],
])("a subject that entered %j and left %j has the standard events %j", (entered, left, expected) => {
  expect(standardEvents({ entered, left })).toEqual(expected);
});
