import { describe, expect, test } from "vitest";
import { lines, table } from "./table.js";

const ID = "01a1e0cfc52a10323fdf73f9";

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

test("wide characters and emoji take the columns that a terminal gives them", () => {
  expect(
    table(
      ["A", "B"],
      [
        ["日本", "x"],
        ["👩‍👩‍👧", "y"],
        ["abcd", "z"],
      ],
    ).split("\n"),
  ).toEqual(["A     B", "日本  x", "👩‍👩‍👧    y", "abcd  z"]);
});

describe("on a terminal", () => {
  test("the widest columns are cut until a line fits", () => {
    const rows = [["short", "a".repeat(50), "b".repeat(50)]];
    const [, line = ""] = table(["A", "B", "C"], rows, 40).split("\n");
    expect(line).toBe(`short  ${"a".repeat(14)}…  ${"b".repeat(15)}…`);
  });

  test("ids are not cut", () => {
    const text = table(["ID", "NAME"], [[ID, "n".repeat(50)]], 40);
    expect(text).toContain(`${ID}  ${"n".repeat(13)}…`);
  });

  test("a wide character is never cut in half", () => {
    const [, line = ""] = table(["A"], [["日本語日本語日本語"]], 10).split("\n");
    expect(line).toBe("日本語日…");
  });
});

test("escape sequences and line breaks of a value do not reach the table", () => {
  const text = table(["A", "B"], [["\u001b[31mred\u001b[0m\nnext", "\u009b2J\u001b]0;title\u0007x\u202ey\r"]]);
  expect(text).toBe("A         B\nred next  xy");
});
