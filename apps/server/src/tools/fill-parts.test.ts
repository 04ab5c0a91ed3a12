import { expect, test } from "vitest";
import { fillParts } from "./fill-parts.js";

const part = (name: string, text = "") => `<!-- generated: ${name} -->\n${text}<!-- end of generated -->\n`;

test("generated parts are replaced, and the text around them stays", () => {
  const page = `# Page\n${part("first", "old\n")}Text.\n${part("second")}End.\n`;
  const filled = fillParts(page, { first: () => "one\n", second: () => "two\n" });
  expect(filled).toBe(`# Page\n${part("first", "\none\n\n")}Text.\n${part("second", "\ntwo\n\n")}End.\n`);
  expect(fillParts(filled, { first: () => "one\n", second: () => "two\n" })).toBe(filled);
});

test("a part that nobody makes, and a part that the page lacks, are errors", () => {
  expect(() => fillParts(part("other"), {})).toThrow('Nobody makes the generated part "other".');
  expect(() => fillParts("", { limits: () => "" })).toThrow("The page lacks the generated parts limits.");
});
