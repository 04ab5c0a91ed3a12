import { describe, expect, test } from "vitest";
import { chooseLane, formatPosition, hasReached, type Lane, parsePosition } from "./lanes.js";

describe("the lane to work on next", () => {
  const turns = (waiting: Lane[]) =>
    Array.from({ length: 16 }, (_, index) => chooseLane(new Set(waiting), index + 1, 4)).join("");

  test("is mostly the active one while entries wait there, and the other lanes go on too", () => {
    expect(turns(["a", "l", "b"])).toBe("aaalaaalaaalaaab");
    expect(turns(["a", "l"])).toBe("aaalaaalaaalaaal");
    expect(turns(["a", "b"])).toBe("aaabaaabaaabaaab");
  });

  test("is the live one before the bulk one, except for the share of bulk work", () => {
    expect(turns(["l", "b"])).toBe("lllblllblllblllb");
  });

  test("is the only one that has entries", () => {
    expect((["a", "l", "b"] as const).map((lane) => turns([lane]))).toEqual(
      ["a", "l", "b"].map((lane) => lane.repeat(16)),
    );
    expect(chooseLane(new Set(), 1, 4)).toBeUndefined();
  });
});

describe("positions", () => {
  test.each([{ l: 1 }, { a: 3, l: 12 }, { a: 1, l: 2, b: 3 }, { b: 0 }])(
    "%o are read as they were formatted",
    (positions) => {
      expect(parsePosition(formatPosition(positions))).toEqual(positions);
    },
  );

  test.each(["", "l", "1", "x1", "l1.x2", "l1..a2", "l-1", "l1.5x", " l1"])("%j is none", (text) => {
    expect(parsePosition(text)).toBeUndefined();
  });

  test("are reached when each of their lanes is reached", () => {
    expect(hasReached({ a: 3, l: 5 }, { a: 3, l: 5 })).toBe(true);
    expect(hasReached({ a: 3, l: 5 }, { l: 4 })).toBe(true);
    expect(hasReached({ l: 5 }, { a: 1 })).toBe(false);
    expect(hasReached({ a: 9, l: 4 }, { a: 3, l: 5 })).toBe(false);
    expect(hasReached({}, {})).toBe(true);
  });
});
