import { createId } from "@muster/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createProfile } from "../../../domain/profiles/profile.js";
import { parseProfile, type StoredProfile, serialiseProfile } from "./stored-profile.js";

test("a profile does not change when it is stored and read", () => {
  const profile = {
    ...createProfile("user", "id", 1_000),
    identifiers: { external_id: ["1"], anonymous_id: ["a", "b"] },
    cells: new Map([
      ["plan", { value: "pro", written: { at: 5, source: "one" } }],
      ["age", { value: 30, written: { at: 6, source: "two/job" } }],
      ["gone", { value: null, written: { at: 7, source: "one" } }],
      ["tags", { value: ["x"], written: { at: 8, source: "one" } }],
      ["typed", { value: "x", written: { at: 8, source: "one", unproved: true as const } }],
      ["known", { value: "y", written: { at: 8, source: "one" } }],
      ["total", { value: 1, written: { at: 9, source: "///aa" } }],
      ["searched", { value: "z", written: { at: 9, source: "///bb", unproved: true as const } }],
    ]),
    firstSeenAt: 1,
    lastSeenAt: 2,
    lastKnownIp: { value: "8.8.8.8", at: 2 },
    sessions: {
      first: { value: "s", at: 1, unproved: true as const },
      latest: { value: "t", at: 2 },
      signup: { value: "s", at: 3 },
    },
    accountId: "account",
    linkedAt: 4,
    hasEvents: true,
    eventCounts: { byName: { Viewed: 2, "": 1 }, byAnonymousId: { a: 3 }, until: 7 },
    merges: { day: 20_000, count: 3 },
    hasHints: true,
  };
  expect(parseProfile("user", "id", JSON.parse(serialiseProfile(profile)))).toEqual(profile);
});

test("cells of one record are stored together, wherever they are among the others", () => {
  const [first, second] = [
    { at: 5, source: "one" },
    { at: 6, source: "one" },
  ];
  const computed = (id: string, at = 9) => ({ at, source: `///${id}` });
  const profile = createProfile("user", "id", 1);
  profile.cells = new Map([
    ["plan", { value: "pro", written: first }],
    ["orders", { value: 2, written: computed("aa") }],
    ["seats", { value: 3, written: second }],
    ["city", { value: null, written: first }],
    ["total", { value: null, written: computed("bb") }],
    ["visits", { value: 1, written: computed("cc", 8) }],
    ["searches", { value: 4, written: { ...computed("dd"), unproved: true as const } }],
    ["last_search", { value: "x", written: { ...computed("ee"), unproved: true as const } }],
    [
      "news",
      { value: true, written: second, beside: { value: false, written: { ...first, unproved: true as const } } },
    ],
  ]);
  const stored = JSON.parse(serialiseProfile(profile));
  expect(stored).toEqual({
    i: {},
    w: [
      [5, 0, { plan: "pro", city: null }],
      [6, 0, { seats: 3, news: true }],
    ],
    x: [
      [9, { orders: [2, "aa"], total: [null, "bb"] }],
      [8, { visits: [1, "cc"] }],
    ],
    y: [[9, { searches: [4, "dd"], last_search: ["x", "ee"] }]],
    b: { news: [false, 5, 0] },
    s: ["one"],
    t: 1,
  });
  const read = parseProfile("user", "id", stored);
  expect(read).toEqual(profile);
  expect(read.cells.get("plan")?.written).toBe(read.cells.get("city")?.written);
});

test("in the former stored form, cells share a writer or name it again, which is the same when they are read", () => {
  const at = 1_795_098_261_010;
  const stored: StoredProfile = {
    i: {},
    c: { total: [1, at, 0], plan: ["pro", at, 1], orders: [2, at, 2], orders_before: [3, 5, 2], seats: [4, 5, 1] },
    s: ["///a", "one", "///b"],
    t: 1,
  };
  const profile = parseProfile("user", "id", stored);
  expect([...profile.cells.values()].map(({ written }) => written)).toEqual([
    { at, source: "///a" },
    { at, source: "one" },
    { at, source: "///b" },
    { at: 5, source: "///b" },
    { at: 5, source: "one" },
  ]);
  expect(parseProfile("user", "id", JSON.parse(serialiseProfile(profile)))).toEqual(profile);
});

test("the events of a profile from before they were counted are not known, and a profile without events has none", () => {
  const stored = { i: {}, c: {}, s: [], t: 1 };
  expect(parseProfile("user", "id", { ...stored, e: 1 }).eventCounts).toBeUndefined();
  expect(parseProfile("user", "id", stored).eventCounts).toEqual({ byName: {}, byAnonymousId: {}, until: undefined });
});

test("values that a page wrote before they were marked are unproved: their source is the platform", () => {
  const [platform, connector] = [createId("platform"), createId("connector")];
  const stored: StoredProfile = {
    i: {},
    c: { typed: ["a", 1, 0], known: ["b", 1, 1] },
    s: [platform, connector],
    t: 1,
  };
  const { cells } = parseProfile("user", "id", stored);
  expect(cells.get("typed")?.written).toEqual({ at: 1, source: platform, unproved: true });
  expect(cells.get("known")?.written).toEqual({ at: 1, source: connector });
});

test("what was computed before it was marked is unproved where a page without a token can have sent something", () => {
  const stored: StoredProfile = { i: {}, c: { total: [1, 5, 0], plan: ["pro", 5, 1] }, s: ["///a", "one"], t: 1 };
  const proved = { at: 5, source: "///a" };
  const read = (type: "user" | "account", i: StoredProfile["i"]) => parseProfile(type, "id", { ...stored, i });
  const user = read("user", { email: ["a@x"] });
  expect([user.hasHints, user.cells.get("total")?.written]).toEqual([false, proved]);
  const visitor = read("user", { email: ["a@x"], anonymous_id: ["b"] });
  expect([visitor.hasHints, visitor.cells.get("total")?.written]).toEqual([true, { ...proved, unproved: true }]);
  expect(visitor.cells.get("plan")?.written).toEqual({ at: 5, source: "one" });
  expect(read("account", {}).cells.get("total")?.written).toEqual({ ...proved, unproved: true });
});

test("an empty profile has a short stored form, and does not change when it is read", () => {
  const profile = createProfile("account", "id", 1_000);
  expect(serialiseProfile(profile)).toBe('{"i":{},"s":[],"t":1000}');
  expect(parseProfile("account", "id", JSON.parse(serialiseProfile(profile)))).toEqual(profile);
});

test("every name and value of an attribute is read as it was stored", () => {
  const value = fc.oneof(
    fc.string({ unit: "binary", maxLength: 100 }),
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.boolean(),
    fc.constantFrom(null, "\u0000", '"', "\\", "\u2028", "\ud800", "a".repeat(65), "é\u007f"),
    fc.jsonValue().map((json) => [JSON.parse(JSON.stringify(json))]),
  );
  const name = fc.oneof(fc.string(), fc.constantFrom('"', "\\n", "constructor")).filter((text) => text !== "__proto__");
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value, fc.string())), (cells) => {
      const profile = createProfile("user", "id", 1);
      for (const [key, content, source] of cells)
        profile.cells.set(key, { value: content, written: { at: 7, source } });
      const stored = JSON.parse(serialiseProfile(profile));
      expect(Object.fromEntries(parseProfile("user", "id", stored).cells)).toEqual(Object.fromEntries(profile.cells));
    }),
  );
});
