import { QueryError } from "@muster/query";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Selection } from "../asking.js";
import type { Questions } from "../questions.js";
import { ORG } from "./dataset.test.data.js";
import { openEngine } from "./open-engine.js";
import { selectionOf } from "./selection.test.kit.js";
import { changeOf, stepOf, typesOf, userDocument } from "./steps.test.kit.js";

const TEXTS = [
  "",
  "a",
  "b",
  "aa",
  "ab",
  "abb",
  "é",
  "éé",
  "word",
  "a.b@x.com",
  "]-@",
  "12",
  "1234",
  "x{,3}",
  "a-z",
  "A",
];

let questions: Questions;

beforeAll(async () => {
  questions = await openEngine();
  const written = TEXTS.map((text, index) => userDocument(idOf(index), { traits_text: text }));
  const typeOf = typesOf({ user: { traits_text: "string" }, account: {} });
  await questions.begin(ORG, "first");
  await questions.endDocuments(ORG, 0);
  await questions.writeChanges(ORG, stepOf([changeOf(1)], { users: { written }, typeOf }));
});

afterAll(() => questions.close());

function idOf(index: number): string {
  return `64${index.toString(16).padStart(22, "0")}`;
}

/** Undefined for a pattern that is refused and so never sent to the engine. */
function selectionBy(pattern: string, field: string): Selection | undefined {
  try {
    return selectionOf({ regexp: { [field]: pattern } }, "user", { typeOf: () => "string" });
  } catch (error) {
    if (error instanceof QueryError) return undefined;
    throw error;
  }
}

async function find(pattern: string, field: string): Promise<string[] | undefined> {
  const selection = selectionBy(pattern, field);
  const rows = selection && (await questions.page(ORG, selection, { sort: [], limit: 100 }));
  return rows?.map(({ report }) => String(report.traits_text));
}

describe("a regular expression", () => {
  const TAKEN = [
    "",
    "a",
    "a|b|",
    "(a)(?:b)*",
    "[a-z0-9_.-]+@x\\.com",
    "[^\\d\\s]",
    "\\d{1,3}",
    "a{2,}?",
    "^a$",
    "\\bword\\B",
    "[\\]\\-@]",
    "[\\]\\-@]+",
    "é+",
    "a{0}",
    "()",
    "[a\\-z]",
    "..",
    "\\w+",
    ".*\\bb.*",
  ];

  test.for(TAKEN)("%s selects the texts that it matches completely", async (pattern) => {
    const fitting = new RegExp(`^(?:${pattern})$`, "su");
    expect(await find(pattern, "text.raw")).toEqual(TEXTS.filter((text) => fitting.test(text)));
  });

  test.for(TAKEN)("%s ignores case if the field is not exact", async (pattern) => {
    const fitting = new RegExp(`^(?:${pattern})$`, "sui");
    expect(await find(pattern, "text")).toEqual(TEXTS.filter((text) => fitting.test(text)));
  });

  test("that is accepted is never refused by the engine", async () => {
    const piece = fc.constantFrom(
      ...["a", "é", ".", "\\d", "\\.", "[a-c]", "[^x]", "(", "(?:", ")", "|", "*", "+", "?", "??", "{2}", "{1,3}"],
      ...["{,3}", "^", "$", "\\b", "-", "]", "}", "[", "\\", "&&", "[]a]"],
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 8 }),
        fc.constantFrom("text", "text.raw"),
        async (pieces, field) => {
          const selection = selectionBy(pieces.join(""), field);
          fc.pre(selection !== undefined);
          expect(await questions.count(ORG, selection)).toBeLessThanOrEqual(TEXTS.length);
        },
      ),
      { numRuns: 150 },
    );
  });
});
