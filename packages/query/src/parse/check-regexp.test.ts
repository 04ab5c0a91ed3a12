import { describe, expect, test } from "vitest";
import { QueryError } from "../query-error.js";
import { checkRegexp } from "./check-regexp.js";

function isTaken(pattern: string): boolean {
  try {
    checkRegexp(pattern, "query.regexp.a");
    return true;
  } catch (error) {
    if (error instanceof QueryError) return false;
    throw error;
  }
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

  test.for(TAKEN)("%s is taken", (pattern) => {
    expect(isTaken(pattern)).toBe(true);
  });

  test.for(REFUSED)("%s is refused", (pattern) => {
    expect(isTaken(pattern)).toBe(false);
  });
});
