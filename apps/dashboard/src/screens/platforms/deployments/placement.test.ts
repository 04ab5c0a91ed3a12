import { expect, test } from "vitest";
import { placementSentence, readPlacement, writePlacement } from "./placement.js";

test("a placement is read with the defaults of the server, and written as it was read", () => {
  expect(placementSentence(readPlacement({}))).toBe("At the end of the first element that matches body");
  const settings = { _placement: "replace", _selector: ".banner", _multi: true };
  expect(placementSentence(readPlacement(settings))).toBe("Instead of every element that matches .banner");
  expect(writePlacement(readPlacement({ ...settings, color: "red" }))).toEqual(settings);
});
