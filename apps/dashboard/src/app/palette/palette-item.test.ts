import { expect, test } from "vitest";
import { matchItems } from "./palette-item.js";

const items = ["Big spenders", "Spenders of May", "Suspended", "Home"].map((label) => ({
  id: label,
  label,
  run: () => {},
}));
const find = (text: string) => matchItems(items, text).map(({ label }) => label);

test("items that begin with the text come first, then those with a word that does, then the rest", () => {
  expect(find("spen")).toEqual(["Spenders of May", "Big spenders", "Suspended"]);
});

test("every word must be found, in any order and any case", () => {
  expect(find("MAY spenders")).toEqual(["Spenders of May"]);
  expect(find("may home")).toEqual([]);
});

test("other words of an item find it, and without a text the first items are shown", () => {
  const go = { id: "go", label: "Home", keywords: "overview start", run: () => {} };
  expect(matchItems([go], "over")).toEqual([go]);
  expect(matchItems(items, "", 2).map(({ label }) => label)).toEqual(["Big spenders", "Spenders of May"]);
});
