import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Engine, openEngine } from "../cases/engine.test.kit.js";
import { QueryError } from "../query-error.js";
import { checkRegexp } from "./check-regexp.js";

let engine: Engine;

beforeAll(async () => {
  engine = await openEngine();
});

afterAll(() => engine.close());

function isTaken(pattern: string): boolean {
  try {
    checkRegexp(pattern, "query.regexp.a");
    return true;
  } catch (error) {
    if (error instanceof QueryError) return false;
    throw error;
  }
}

async function runs(pattern: string): Promise<boolean> {
  await engine.rows({ sql: "select match('text', {p0:String}) as it", params: { p0: `(?si)^(?:${pattern})$` } });
  return true;
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
    "é+",
    "a{0}",
    "()",
    "[a\\-z]",
  ];
  const REFUSED = [
    "(",
    ")",
    "[",
    "[]",
    "[^]",
    "*",
    "a**",
    "a{2",
    "(?=a)",
    "(?<n>a)",
    "(?i)a",
    "\\1",
    "\\p{L}",
    "\\x41",
    "[z-a]",
    "[[:alpha:]]",
    "a{3,2}",
    "a{1001}",
    "((a{100}){100}){100}",
    "a\\",
    "\\é",
    "(a{500}|b{501})",
  ];

  test.for(TAKEN)("%s is taken, and the engine takes it too", async (pattern) => {
    expect(isTaken(pattern)).toBe(true);
    expect(await runs(pattern)).toBe(true);
  });

  test.for(REFUSED)("%s is refused", (pattern) => {
    expect(isTaken(pattern)).toBe(false);
  });

  test("that is taken is never one the engine refuses", async () => {
    const piece = fc.constantFrom(
      "a",
      "é",
      ".",
      "\\d",
      "\\.",
      "[a-c]",
      "[^x]",
      "(",
      "(?:",
      ")",
      "|",
      "*",
      "+",
      "?",
      "??",
      "{2}",
      "{1,3}",
      "{,3}",
      "^",
      "$",
      "\\b",
      "-",
      "]",
      "}",
      "[",
      "\\",
      "&&",
      "[]a]",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
        const pattern = pieces.join("");
        fc.pre(isTaken(pattern));
        expect(await runs(pattern)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });
});
