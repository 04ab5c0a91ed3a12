import { expect, test } from "vitest";
import { lines, table } from "./output.js";

test("columns are as wide as their widest cell, and lines have no spaces at the end", () => {
  expect(
    table(
      ["ID", "NAME"],
      [
        ["1", "a long name"],
        ["1000", ""],
      ],
    ),
  ).toBe("ID    NAME\n1     a long name\n1000");
});

test("a table without rows has only its headings", () => {
  expect(table(["ID", "NAME"], [])).toBe("ID  NAME");
});

test("names and values are in two columns", () => {
  expect(lines({ id: "1", organization: "acme" })).toBe("id            1\norganization  acme");
});
