import { beforeEach, describe, expect, test } from "vitest";
import { AttributeDefinitions } from "../attributes/attribute-definitions.js";
import { Roster } from "../identity/roster.js";
import { createProfile, type Profile } from "../profiles/profile.js";
import { applyTraits } from "./apply-traits.js";

let roster: Roster;
let definitions: AttributeDefinitions;
let user: Profile;
let refused: [string, string][];
beforeEach(() => {
  roster = new Roster("user", { mergesPerDay: 10, maxAnonymousIds: 10, maxSubjectBytes: 1_000_000 }, 1_000);
  definitions = new AttributeDefinitions([], 100);
  user = roster.resolve({ external_id: "1" }, { create: true, at: 0 }, () => {}) as Profile;
  refused = [];
});

function apply(traits: Record<string, unknown>, at = 100, more: { keepExisting?: boolean } = {}): void {
  applyTraits(user, traits, {
    roster,
    definitions,
    written: { at, source: "connector" },
    maxValueBytes: 1_000,
    onRefusal: (attribute, reason) => refused.push([attribute, reason]),
    ...more,
  });
}

const current = (name: string) => user.cells.get(name)?.value;

describe("the type of a new attribute", () => {
  test.each([
    ["age", 30, "numeric"],
    ["ratio", 0.5, "numeric"],
    ["plan", "pro", "string"],
    ["zip", "12345", "string"],
    ["amount", "12.50", "string"],
    ["day", "2026-01-01", "string"],
    ["at", "2026-01-01", "string"],
    ["chat", "2026-01-01", "string"],
    ["signed_at", "2026-01-01", "date"],
    ["birth_date", "2026-01-01T10:00:00+02:00", "date"],
    ["crm/closed_at", "2026-01-01", "date"],
    ["seen_at", 1_700_000_000, "numeric"],
    ["vip", true, "boolean"],
    ["checked_at", false, "boolean"],
    ["labels", ["a", 1], "array"],
    ["none_at", [], "array"],
    ["place", { city: "Oslo" }, "json"],
    ["empty", {}, "json"],
  ])("%s = %j is %s", (name, value, type) => {
    apply({ [name]: value });
    expect(refused).toEqual([]);
    expect(definitions.get(name)?.type).toBe(type);
    expect(definitions.added()).toMatchObject([{ name, type, source: "connector" }]);
  });

  test("is not decided by a value that is refused, nor by null", () => {
    apply({ signed_at: "whenever", plan: null });
    expect(definitions.added()).toEqual([]);
    apply({ plan: 5, signed_at: 7 });
    expect([definitions.get("plan")?.type, definitions.get("signed_at")?.type]).toEqual(["numeric", "numeric"]);
  });
});

describe("a value of another type", () => {
  test.each([
    ["numeric", 1, "1"],
    ["string", "1", 1],
    ["boolean", true, "true"],
    ["array", ["a"], "a"],
    ["json", { a: 1 }, "a"],
  ])("than %s is refused, the other attributes are applied, and the type stays", (type, first, other) => {
    apply({ x: first });
    apply({ x: other, beside: "kept" }, 200);
    expect(current("x")).toEqual(first);
    expect(current("beside")).toBe("kept");
    expect(refused).toEqual([["x", expect.stringContaining(`the attribute's type is ${type}`)]]);
  });

  test("than date is refused with a reason, and so is a text that is not a date", () => {
    apply({ signed_at: "2026-01-01" });
    apply({ signed_at: "tomorrow" }, 200);
    apply({ signed_at: 5 }, 200);
    expect(refused).toEqual([
      ["signed_at", '"tomorrow" cannot be read as a date'],
      ["signed_at", "the attribute's type is date, and a number was given"],
    ]);
    expect(current("signed_at")).toBe("2026-01-01T00:00:00.000Z");
  });

  test("than the fixed type of a standard field is refused", () => {
    apply({ name: 5, tags: "vip", created_at: "once" });
    expect(refused.map(([name]) => name)).toEqual(["name", "tags", "created_at"]);
  });
});

describe("of several values", () => {
  test("the one of the newest record is kept, whatever the order of arrival", () => {
    apply({ plan: "newer" }, 200);
    apply({ plan: "older" }, 100);
    expect(current("plan")).toBe("newer");
    apply({ plan: "newest" }, 300);
    expect(current("plan")).toBe("newest");
  });

  test("the later in the batch is kept when two have the same time", () => {
    apply({ plan: "first" }, 100);
    apply({ plan: "second" }, 100);
    expect(current("plan")).toBe("second");
  });

  test("none is kept when the newest record unsets, even if an older value arrives after it", () => {
    apply({ plan: "old" }, 100);
    apply({ plan: null }, 200);
    expect(current("plan")).toBeNull();
    apply({ late: null }, 200);
    apply({ plan: "older", late: "older" }, 150);
    expect([current("plan"), current("late")]).toEqual([null, null]);
    apply({ plan: "again" }, 300);
    expect(current("plan")).toBe("again");
  });

  test("the kept one has the time and source of its record", () => {
    apply({ plan: "pro" }, 123);
    expect(user.cells.get("plan")).toEqual({ value: "pro", written: { at: 123, source: "connector" } });
  });
});

describe("operations", () => {
  test.each([
    [{ value: 5 }, 5],
    [{ operation: "set", value: 5 }, 5],
    [{ operation: "inc", value: 5 }, 15],
    [{ operation: "increment", value: 0.5 }, 10.5],
    [{ operation: "dec", value: 4 }, 6],
    [{ operation: "decrement", value: 20 }, -10],
    [{ operation: "setIfNull", value: 5 }, 10],
  ])("%o on 10 gives %d", (operation, expected) => {
    apply({ n: 10 });
    apply({ n: operation });
    expect([refused, current("n")]).toEqual([[], expected]);
  });

  test("inc and dec start from 0, and apply in any order, whatever the time of their record", () => {
    apply({ n: { operation: "inc", value: 3 } }, 200);
    apply({ n: { operation: "dec", value: 1 } }, 100);
    expect(user.cells.get("n")).toMatchObject({ value: 2, written: { at: 200 } });
  });

  test("setIfNull sets an attribute that has no value or was unset", () => {
    apply({ a: { operation: "setIfNull", value: "x" }, b: "old" });
    apply({ b: null }, 200);
    apply({ a: { operation: "setIfNull", value: "y" }, b: { operation: "setIfNull", value: "z" } }, 300);
    expect([current("a"), current("b")]).toEqual(["x", "z"]);
  });

  test("an object with any other key, or with none, is a value", () => {
    apply({ a: { value: 1, unit: "kg" }, b: { operation: "inc", value: 1, note: "x" }, c: {} });
    expect([current("a"), current("b"), current("c")]).toEqual([
      { value: 1, unit: "kg" },
      { operation: "inc", value: 1, note: "x" },
      {},
    ]);
  });

  test.each([
    [{ operation: "multiply", value: 2 }, 'there is no operation "multiply"'],
    [{ operation: "inc", value: null }, "there is no number to add"],
    [{ operation: "inc" }, "there is no number to add"],
    [{ operation: "inc", value: "2" }, "the attribute's type is numeric"],
  ])("%o is refused: %s", (operation, reason) => {
    apply({ n: 1 });
    apply({ n: operation });
    expect(refused).toEqual([["n", expect.stringContaining(reason)]]);
    expect(current("n")).toBe(1);
  });

  test("inc on text is refused", () => {
    apply({ plan: "pro" });
    apply({ plan: { operation: "inc", value: 1 } });
    expect(refused).toEqual([["plan", expect.stringContaining("type is string")]]);
  });
});

describe("names", () => {
  test("may be given with the prefix that they have in reports", () => {
    apply({ traits_plan: "pro" });
    expect(current("plan")).toBe("pro");
  });

  test("may contain slashes and dots", () => {
    apply({ "crm/stage": "won", "a.b": 1 });
    expect([current("crm/stage"), current("a.b")]).toEqual(["won", 1]);
  });

  test.each([
    ["", "1 to 256 characters"],
    ["x".repeat(257), "1 to 256 characters"],
    ["a\nb", "control characters"],
    ["__proto__", "cannot be the name"],
    ["id", "keeps this field itself"],
    ["last_seen_at", "keeps this field itself"],
    ["anonymous_ids", "keeps this field itself"],
    ["segment_ids", "keeps this field itself"],
  ])("%j is refused: %s", (name, reason) => {
    apply({ [name]: "x" });
    expect(refused).toEqual([[name, expect.stringContaining(reason)]]);
    expect(user.cells.size).toBe(0);
  });

  test("beyond the limit of the organization are refused, and known attributes can still be set", () => {
    definitions = new AttributeDefinitions([], 2);
    apply({ a: 1, b: 1, c: 1, name: "standard fields do not count", d: null });
    expect(refused).toEqual([["c", "the organization has as many attributes as it may have"]]);
    apply({ a: 2 }, 200);
    expect([current("a"), user.cells.has("d")]).toEqual([2, false]);
  });

  test("a value with too many bytes is refused", () => {
    apply({ fits: "x".repeat(1_000), large: "é".repeat(501), many: Array(400).fill("ab") });
    expect(refused.map(([name]) => name)).toEqual(["large", "many"]);
  });
});

describe("identifiers given as attributes", () => {
  test("become identifiers when nobody else has them, and stay unchanged as attributes", () => {
    apply({ email: "Ann@Example.com", domain: "www.Example.com" });
    expect(roster.resolve({ email: "ann@example.com" }, { create: false, at: 0 }, () => {})).toBe(user);
    expect([current("email"), user.identifiers.domain]).toEqual(["Ann@Example.com", ["example.com"]]);
  });

  test("do not become identifiers when somebody else has them; an email is still set as an attribute", () => {
    const bob = roster.resolve({ external_id: "2", email: "bob@example.com" }, { create: true, at: 0 }, () => {});
    apply({ email: "bob@example.com", external_id: "2" });
    expect(roster.lookup({ email: "bob@example.com" })).toBe(bob);
    expect(current("email")).toBe("bob@example.com");
    expect(user.identifiers.external_id).toEqual(["1"]);
    expect(user.cells.has("external_id")).toBe(false);
    expect(refused).toEqual([["external_id", expect.stringContaining("cannot identify this user")]]);
  });
});

describe("with overwrite: false", () => {
  test("existing values are neither changed nor unset, and missing ones are set", () => {
    apply({ a: "old", b: "old" }, 100);
    apply({ a: "new", b: null, c: "new" }, 900, { keepExisting: true });
    expect([current("a"), current("b"), current("c")]).toEqual(["old", "old", "new"]);
  });
});

test("each changed attribute is listed once, with its value from before the micro-batch", () => {
  user = createProfile("user", "0a0000000000000000000001", 0);
  roster.load(user);
  apply({ plan: "free" });
  apply({ plan: "team" });
  apply({ plan: "pro", same: "x" });
  apply({ same: "x" });
  expect([...roster.before.valuesOf(user)]).toEqual([
    ["plan", null],
    ["same", null],
  ]);
});
