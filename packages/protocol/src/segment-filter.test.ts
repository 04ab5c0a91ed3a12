import { describe, expect, test } from "vitest";
import { type FilteredSubject, leftSegmentFilter, passesSegmentFilter, readSegmentFilter } from "./segment-filter.js";

const user = (report: Record<string, unknown>, ...segmentIds: string[]): FilteredSubject => ({
  subjectType: "user",
  report,
  segmentIds,
});
const account = (report: Record<string, unknown>): FilteredSubject => ({
  subjectType: "account",
  report,
  segmentIds: [],
});
const passes = (setting: unknown, subject: FilteredSubject | undefined) =>
  passesSegmentFilter(readSegmentFilter([setting]), subject);

describe("a setting with segments", () => {
  test.each([
    ["a list with one of the segments", ["x", "a"], true],
    ["one segment as a text", "a", true],
    ["other segments", ["x"], false],
    ["ALL", ["ALL"], true],
    ["ALL as a text", "ALL", true],
    ["an empty list", [], false],
    ["an empty text", "", false],
    ["null", null, false],
    ["nothing", undefined, false],
    ["values that are no texts", [1, null, {}, ["b"]], false],
  ])("of %s lets a member of a pass: %s", (_name, setting, expected) => {
    expect(passes(setting, user({ email: "ada@example.com" }, "a"))).toBe(expected);
  });

  test("several settings make one filter", () => {
    const filter = readSegmentFilter([undefined, ["x"], "a"]);
    expect(passesSegmentFilter(filter, user({}, "a"))).toBe(true);
    expect(passesSegmentFilter(filter, user({}, "b"))).toBe(false);
  });
});

describe("the standard values", () => {
  test.each([
    ["a user with an e-mail address", user({ email: "ada@example.com" }), "IDENTIFIED"],
    ["a user with an external id", user({ email: null, external_id: "7" }), "IDENTIFIED"],
    ["a user with an anonymous id and a domain", user({ anonymous_ids: ["a"], domain: "example.com" }), "ANONYMOUS"],
    ["a user with empty identifiers", user({ email: "", external_id: null }), "ANONYMOUS"],
    ["an account with a domain", account({ domain: "example.com" }), "IDENTIFIED"],
    ["an account with an external id", account({ external_id: "7" }), "IDENTIFIED"],
    ["an account with an anonymous id", account({ anonymous_ids: ["a"], domain: null }), "ANONYMOUS"],
  ])("%s is one of %s", (_name, subject, expected) => {
    const found = ["ANONYMOUS", "IDENTIFIED"].filter((value) => passes([value], subject));
    expect(found).toEqual([expected]);
  });

  test("an account that a user does not have is neither; it passes with ALL alone", () => {
    expect(["ALL", "ANONYMOUS", "IDENTIFIED"].filter((value) => passes([value], undefined))).toEqual(["ALL"]);
  });
});

describe("a subject that has just left", () => {
  const changes = { isNew: false, attributes: {}, leftSegmentIds: ["a"] };

  test("a segment of the filter is told from one that left another segment", () => {
    expect(leftSegmentFilter(readSegmentFilter([["a"]]), user({}), changes)).toBe(true);
    expect(leftSegmentFilter(readSegmentFilter([["b"]]), user({}), changes)).toBe(false);
  });

  test("the anonymous users has got its first identifier", () => {
    const filter = readSegmentFilter([["ANONYMOUS"]]);
    const named = user({ email: "ada@example.com" });
    const left = { ...changes, leftSegmentIds: [] };
    const gotEmail = { email: [null, "ada@example.com"] } as const;
    expect(leftSegmentFilter(filter, named, { ...left, attributes: gotEmail })).toBe(true);
    expect(leftSegmentFilter(filter, named, { ...left, attributes: { name: [null, "Ada"] } })).toBe(false);
    expect(leftSegmentFilter(filter, named, { ...left, isNew: true, attributes: gotEmail })).toBe(false);
    const hadId = user({ email: "ada@example.com", external_id: "7" });
    expect(leftSegmentFilter(filter, hadId, { ...left, attributes: gotEmail })).toBe(false);
  });
});
