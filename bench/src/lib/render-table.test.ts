import { expect, test } from "vitest";
import { renderTable } from "./render-table.js";

test("columns of numbers are aligned to the right, others to the left", () => {
  const table = renderTable(
    ["library", "calls/s", "goal"],
    [
      ["ours", 120_000, "met"],
      ["another one", 950, "MISSED"],
    ],
  );
  expect(table.split("\n")).toEqual([
    "library      calls/s  goal",
    "-----------  -------  ------",
    "ours         120,000  met",
    "another one      950  MISSED",
  ]);
});

test("numbers below ten have two digits after the point, larger ones none", () => {
  const [, , ...rows] = renderTable(["n"], [[1.239], [-9.994], [12.6], [1_234_567.8]]).split("\n");
  expect(rows.map((row) => row.trim())).toEqual(["1.24", "-9.99", "13", "1,234,568"]);
});

test("a column with one text is aligned to the left", () => {
  const [, , ...rows] = renderTable(
    ["value", ""],
    [
      [1, "x"],
      ["none", "y"],
    ],
  ).split("\n");
  expect(rows).toEqual(["1      x", "none   y"]);
});

test("a table without rows has its headings", () => {
  expect(renderTable(["a", "bc"], [])).toBe("a  bc\n-  --");
});
