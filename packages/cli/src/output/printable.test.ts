import { expect, test } from "vitest";
import { printableCell, printableJson, printableText } from "./printable.js";

const HOSTILE = [
  "\u001b[2J",
  "\u001b]0;title\u0007",
  "\u001b]8;;http://evil.example\u001b\\link\u001b]8;;\u001b\\",
  "\u009b31m",
  "\u001bP1$r\u001b\\",
  "\u0008\u0008",
  "\u0000",
  "\u007f",
  "\u202e",
  "\u2066",
  "\ufeff",
  "\u{e0041}",
];

test.each(HOSTILE)("%j leaves no control character in any text", (hostile) => {
  const control = /(?![\n\t])[\p{Cc}\p{Cf}]/u;
  for (const text of [printableCell, printableText].map((clean) => clean(`before${hostile}after`))) {
    expect(text).not.toMatch(control);
    expect(text).toMatch(/^before.*after$/);
  }
  const json = printableJson({ [hostile]: hostile });
  expect(json).not.toMatch(control);
  expect(JSON.parse(json)).toEqual({ [hostile]: hostile });
});

test("ordinary text stays as it is, emoji with joiners too", () => {
  const text = "Zoë  日本語 👩‍👩‍👧 naïve";
  expect(printableText(text)).toBe(text);
  expect(printableJson(text)).toBe(JSON.stringify(text));
});

test("text of several lines keeps its lines, a cell becomes one line", () => {
  expect(printableText("a\n\tb")).toBe("a\n\tb");
  expect(printableCell("a\n\tb\r\nc")).toBe("a b c");
});
