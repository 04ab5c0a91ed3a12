import { expect, test } from "vitest";
import { readSimpleMarkdown } from "./simple-markdown.js";

test("links, strong words and code are read", () => {
  expect(readSimpleMarkdown("See [the guide](https://example.com/a?b=1) for **every** `user_id`.")).toEqual([
    { kind: "text", text: "See " },
    { kind: "link", text: "the guide", href: "https://example.com/a?b=1" },
    { kind: "text", text: " for " },
    { kind: "strong", text: "every" },
    { kind: "text", text: " " },
    { kind: "code", text: "user_id" },
    { kind: "text", text: "." },
  ]);
  expect(readSimpleMarkdown("The user_id, and 5 - 3 of them")).toHaveLength(1);
});

test.each([
  "# A heading",
  "- a list",
  "1. a list",
  "one\ntwo",
  "*emphasis*",
  "_emphasis_",
  "<b>HTML</b>",
  "![picture](https://example.com/p.png)",
  "[unsafe](javascript:alert(1))",
  "a&nbsp;b",
  "**strong [link](https://example.com)**",
])("other Markdown is left to the library: %s", (text) => {
  expect(readSimpleMarkdown(text)).toBeUndefined();
});
