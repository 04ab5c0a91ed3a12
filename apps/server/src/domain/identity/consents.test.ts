import fc from "fast-check";
import { expect, test } from "vitest";
import { type Cell, createProfile, type Said } from "../profiles/profile.js";
import { agreedPurposes, joinConsents } from "./consents.js";

const writes = fc.array(
  fc.record({
    value: fc.constantFrom(true, false, null),
    at: fc.integer({ min: 1, max: 6 }),
    isProved: fc.boolean(),
  }),
  { minLength: 1, maxLength: 8 },
);

type Write = { value: boolean | null; at: number; isProved: boolean };

const said = ({ value, at, isProved }: Write): Said => ({
  value,
  written: isProved ? { at, source: "server" } : { at, source: "page", unproved: true },
});

const join = (all: readonly Cell[]): Cell | undefined =>
  all.reduce<Cell | undefined>((cell, next) => joinConsents(cell, next), undefined);

const agrees = (cell: Cell | undefined) => {
  const profile = createProfile("user", "000000000000020000000000", 0);
  if (cell) profile.cells.set("consents/marketing", cell);
  return agreedPurposes(profile, ["marketing"]).has("marketing");
};

/** The plain rule: the last word with proof counts, unless a browser has withdrawn since; a browser's where there is none. */
function model(all: readonly Write[]): boolean {
  const last = (isProved: boolean) => {
    const of = all.filter((one) => one.isProved === isProved);
    const at = Math.max(...of.map((one) => one.at));
    return of.length === 0 ? undefined : { at, grants: of.every((one) => one.at < at || one.value === true) };
  };
  const proved = last(true);
  const hinted = last(false);
  if (!proved) return hinted?.grants ?? false;
  return proved.grants && !(hinted && !hinted.grants && hinted.at >= proved.at);
}

test("a consent is what the rule says, in whatever order and grouping its writes arrive", () => {
  fc.assert(
    fc.property(writes, fc.infiniteStream(fc.nat()), fc.nat({ max: 8 }), (all, random, cut) => {
      const shuffled = all
        .map((write) => ({ write, by: random.next().value as number }))
        .sort((one, other) => one.by - other.by)
        .map(({ write }) => write);
      expect(agrees(join(all.map(said)))).toBe(model(all));
      expect(agrees(join(shuffled.map(said)))).toBe(model(all));
      // As when two users with a history each are merged, and one of the records arrives twice.
      const merged = [join(shuffled.slice(0, cut).map(said)), join(shuffled.slice(cut).map(said)), said(all[0]!)];
      expect(agrees(join(merged.filter((cell) => cell !== undefined)))).toBe(model(all));
    }),
    { numRuns: 2_000 },
  );
});

test("a browser never turns a proved withdrawal into a grant, and always turns a grant into a withdrawal", () => {
  const proved = (value: boolean, at: number) => said({ value, at, isProved: true });
  const browser = (value: boolean, at: number) => said({ value, at, isProved: false });
  expect(agrees(join([proved(false, 1), browser(true, 9)]))).toBe(false);
  expect(agrees(join([browser(true, 9), proved(false, 1)]))).toBe(false);
  expect(agrees(join([proved(true, 1), browser(false, 2)]))).toBe(false);
  expect(agrees(join([proved(true, 1), browser(false, 2), browser(true, 3)]))).toBe(true);
  expect(agrees(join([proved(true, 3), browser(false, 2)]))).toBe(true);
});
