import type { RecentEntry } from "@muster/protocol/api/ingestion";
import { expect, test } from "vitest";
import { appendRecent, matchesFilter, withAllSeen } from "./recent-list.js";

const entry = (number: number, more: Partial<RecentEntry> = {}): RecentEntry => ({
  id: number,
  number,
  at: "2026-05-01T12:00:00.000Z",
  outcome: "accepted",
  source: "connector",
  connector_id: "shop",
  type: "track",
  event: "Ordered",
  code: null,
  message: null,
  recorded_at: null,
  user: { email: "ann@example.com" },
  account: null,
  body: {},
  shortened: false,
  ...more,
});

const page = (numbers: number[], more = {}) => ({
  entries: numbers.map((number) => entry(number)),
  after: numbers.at(-1) ?? 0,
  missed: 0,
  since: "start",
  ...more,
});

const numbersOf = (list: ReturnType<typeof appendRecent>) => list.rows.map(({ number }) => number);

test("the newest entry comes first, and none is shown twice", () => {
  const first = appendRecent(undefined, page([1, 2]));
  const second = appendRecent(first, page([2, 3], { missed: 4 }));
  expect(numbersOf(second)).toEqual([3, 2, 1]);
  expect(second).toMatchObject({ after: 3, missed: 4, hasGap: false });
});

test("an entry of two lists is one row, although it has another number in each", () => {
  const all = appendRecent(undefined, { ...page([]), entries: [entry(1), entry(2)] });
  const filtered = appendRecent(undefined, { ...page([]), entries: [entry(2, { number: 900 }), entry(3)] });
  expect(withAllSeen(all, [filtered]).rows.map(({ id }) => id)).toEqual([3, 2, 1]);
  expect(appendRecent(all, { ...page([]), entries: [entry(2, { number: 900 })] }).rows).toHaveLength(2);
});

test("a list that the server began anew has a gap", () => {
  const first = appendRecent(undefined, page([1]));
  expect(appendRecent(first, page([9], { since: "later" }))).toMatchObject({ hasGap: true, since: "later" });
  expect(appendRecent({ ...first, since: undefined }, page([9])).hasGap).toBe(false);
});

test("the list is bounded", () => {
  const many = Array.from({ length: 2_500 }, (_, index) => index + 1);
  expect(numbersOf(appendRecent(undefined, page(many)))).toHaveLength(2_000);
});

test("an entry is wanted when every condition holds", () => {
  expect(matchesFilter(entry(1), { type: "track", event: "Ordered", user: "ANN@example.com" })).toBe(true);
  expect(matchesFilter(entry(1), { event: "Ordered", user: "ben@example.com" })).toBe(false);
  expect(matchesFilter(entry(1, { user: null, outcome: "refused" }), { outcome: "refused" })).toBe(true);
});
