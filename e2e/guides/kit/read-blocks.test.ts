import { expect, test } from "vitest";
import { readBlocks } from "./read-blocks.js";

const fence = (info: string, text = "x") => `\`\`\`${info}\n${text}\n\`\`\`\n`;
const read = (...parts: string[]) => {
  const { blocks, problems } = readBlocks("page.md", parts.join("\n"));
  return { kinds: blocks.map(({ kind, name }) => [kind, name]), problems };
};

test("blocks are found with what is done with them, also in lists", () => {
  const parts = [
    fence("sh"),
    fence("json", "{}"),
    "Text.",
    fence("js send.js"),
    "- an item\n\n  ```sh\n  node send.js\n  ```\n",
    fence("text"),
    fence("json query", "{}"),
    fence("json predicate", "{}"),
    `<!-- block: start -->\n${fence("sh", "npm start")}`,
  ];
  expect(read(...parts)).toEqual({
    kinds: [
      ["run", ""],
      ["output", ""],
      ["file", "send.js"],
      ["run", ""],
      ["output", ""],
      ["query", ""],
      ["predicate", ""],
      ["named", "start"],
    ],
    problems: [],
  });
});

test("a block has the line of its fence", () => {
  const { blocks } = readBlocks("page.md", `# Page\n\n${fence("sh")}`);
  expect(blocks).toEqual([{ kind: "run", page: "page.md", line: 3, language: "sh", name: "", text: "x\n" }]);
});

test.each([
  [fence("js"), 'page.md:1: a block "js" without a name is run by no test.'],
  [fence(""), 'page.md:1: a block "" without a name is run by no test.'],
  [fence("json", "{}"), "page.md:1: the expected output comes directly after the sh block that prints it."],
  [fence("js send.js"), "page.md:1: no later sh block uses the file send.js."],
  [fence("js ../send.js"), 'page.md:1: "../send.js" is not the name of a file.'],
  ["Text.\n\n    code\n", "page.md:3: code is in a fenced block, not indented."],
])("%j is a problem", (markdown, problem) => {
  expect(read(markdown).problems).toEqual([problem]);
});
