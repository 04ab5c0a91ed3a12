import { expect, test } from "vitest";
import { MAX_ANSWER_BYTES, requireBounded } from "./answer-size.js";

const large = { text: "x".repeat(MAX_ANSWER_BYTES / 10) };
const rows = Array.from({ length: 11 }, () => ({ bytes: large.text.length }));

test("an answer that is too large is refused with what to do", () => {
  const documents = rows.map(() => large);
  expect(() => requireBounded(rows, documents)).toThrow("Ask for fewer rows (per_page), or for some fields (include).");
});

test("large rows of which few fields are wanted are answered", () => {
  expect(() =>
    requireBounded(
      rows,
      rows.map(() => ({ id: "1" })),
    ),
  ).not.toThrow();
});
