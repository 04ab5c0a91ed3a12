import type { SubjectType, UserClaims } from "@muster/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sized } from "../../../../../testing/test-length.js";
import { applyEntries } from "../../testing/apply-entries.js";
import { workingStateOf } from "../../testing/working-state-of.js";
import type { Entry } from "../entries/entry.js";
import { Roster } from "../identity/roster.js";
import { copyProfile, type Profile } from "../profiles/profile.js";
import { countEvents } from "./count-events.js";
import type { WorkingState } from "./working-state.js";

// Ten thousand histories take a minute on a quiet machine.
const TIMEOUT_MS = 600_000;
const NOW = Date.parse("2026-05-01T12:00:00Z");
const LIMITS = { mergesPerDay: 100, maxAnonymousIds: 100, maxSubjectBytes: 1_000_000 };

function openState(): WorkingState {
  return workingStateOf({
    users: new Roster("user", LIMITS, NOW),
    accounts: new Roster("account", LIMITS, NOW),
    namesPerDay: 10,
  });
}

/** Applies entries as micro-batches of one, as far as counts of events go. */
function run(state: WorkingState, entries: readonly Entry[]): void {
  for (const entry of entries) {
    const { events } = applyEntries([entry], state);
    countEvents(events.values(), state.users);
  }
}

// Three people, whom no record of their own connects.
const PEOPLE = {
  ann: { email: "ann@x", anonymous_id: "ann-1" },
  bob: { anonymous_id: "bob-1" },
  cay: { anonymous_id: "cay-1", domain: "cay.x" },
} satisfies Record<string, UserClaims>;
type Person = keyof typeof PEOPLE;
const NAMES = Object.keys(PEOPLE) as Person[];

const body = fc.record(
  {
    plan: fc.constantFrom("free", "pro", null),
    seats: fc.oneof(
      fc.integer({ min: 0, max: 9 }),
      fc.record({ value: fc.integer({ min: 1, max: 3 }), operation: fc.constantFrom("inc", "dec") }),
    ),
    first: fc.record({ value: fc.constantFrom("x", "y"), operation: fc.constant("setIfNull") }),
    tags: fc.array(fc.constantFrom("a", "b"), { maxLength: 2 }),
    "consents/marketing": fc.boolean(),
  },
  { requiredKeys: [] },
);

interface Said {
  of: Person;
  makes: (claims: UserClaims) => Entry;
}

const entry = (type: "traits" | "track", at: number, user: UserClaims, rest: Partial<Entry>): Entry => ({
  type,
  at: NOW - 1_000_000 + at,
  connectorId: "c".repeat(24),
  subject: "user",
  user,
  create: true,
  active: false,
  body: {},
  ...rest,
});

const said: fc.Arbitrary<Said> = fc
  .record({
    of: fc.constantFrom(...NAMES),
    at: fc.integer({ min: 0, max: 50 }),
    what: fc.oneof(
      body.map((given) => ({ type: "traits" as const, rest: { body: given } })),
      fc
        .record({
          event: fc.constantFrom("Opened", "Closed"),
          ip: fc.constantFrom("8.8.8.8", "9.9.9.9"),
          id: fc.uuid(),
        })
        .map(({ event, ip, id }) => ({ type: "track" as const, rest: { body: { event, ip }, eventId: id } })),
      fc
        .constantFrom("acme.x", "globex.x")
        .map((domain) => ({ type: "traits" as const, rest: { account: { domain }, body: {} } })),
    ),
    active: fc.boolean(),
    kinds: fc.nat(),
  })
  .map(({ of, at, what: { type, rest }, active, kinds }) => ({
    of,
    makes: (claims: UserClaims) => {
      const all = Object.entries(claims);
      // The first identifier alone, another one alone, or all together.
      const [only] = all.slice(kinds % all.length);
      const named = kinds % 5 === 0 ? claims : Object.fromEntries([only!]);
      return entry(type, at, named, { ...rest, active });
    },
  }));

const history = fc.array(said, { maxLength: 10 });
const entriesOf = (given: readonly Said[]) => given.map(({ of, makes }) => makes(PEOPLE[of]));
/** Each person exists, and each of the identifiers finds the person. */
const beginning = NAMES.map((name) => entry("traits", 0, PEOPLE[name], { body: {} }));

/** What a profile is, without what only guards and no people see. */
function seen(profile: Profile | undefined): unknown {
  if (!profile) return undefined;
  const { merges: _guard, isKeptApart: _decided, cells, id: _id, accountId: _account, identifiers, ...rest } = profile;
  const sorted = Object.fromEntries(Object.entries(identifiers).map(([kind, values]) => [kind, [...values].sort()]));
  return { ...rest, identifiers: sorted, cells: Object.fromEntries([...cells].sort()) };
}

const find = (state: WorkingState, name: Person) => state.users.lookup(PEOPLE[name]);
const accountOf = (state: WorkingState, profile: Profile | undefined) =>
  profile?.accountId === undefined ? undefined : state.accounts.find(profile.accountId)?.identifiers.domain;

function pictureOf(state: WorkingState) {
  return NAMES.map((name) => {
    const profile = find(state, name);
    return { seen: seen(profile), account: accountOf(state, profile) };
  });
}

const join = (into: Profile, identifiers: UserClaims): Entry => ({
  ...entry("traits", 0, { id: into.id }, {}),
  type: "alias",
  create: false,
  body: { anonymous_id: identifiers.anonymous_id },
});

const split = (from: Profile, mergedId: string, more: Record<string, unknown> = {}): Entry => ({
  ...entry("traits", 60, { id: from.id }, {}),
  type: "unmerge",
  create: false,
  body: { merged_id: mergedId, never_again: false, ...more },
});

describe("a merge that is undone", () => {
  test("leaves both exactly as they were, whatever they were, whichever is undone first", {
    timeout: TIMEOUT_MS,
  }, () => {
    const merges = fc.constantFrom<[Person, Person][]>(
      [["ann", "bob"]],
      [
        ["ann", "bob"],
        ["ann", "cay"],
      ],
      [
        ["bob", "cay"],
        ["ann", "bob"],
      ],
    );
    fc.assert(
      fc.property(history, merges, fc.boolean(), (given, pairs, isReversed) => {
        const state = openState();
        run(state, [...beginning, ...entriesOf(given)]);
        const before = pictureOf(state);
        const ids = new Map(NAMES.map((name) => [name, find(state, name)!.id]));
        for (const [into, name] of pairs) run(state, [join(find(state, into)!, PEOPLE[name])]);
        expect(new Set(pairs.flat().map((name) => find(state, name))).size).toBe(1);
        for (const [, name] of isReversed ? pairs.toReversed() : pairs) {
          run(state, [split(find(state, name)!, ids.get(name)!)]);
        }
        expect(pictureOf(state)).toEqual(before);
        for (const name of NAMES) expect(find(state, name)?.id).toBe(ids.get(name));
        for (const name of NAMES) expect(state.users.find(ids.get(name)!)).toBe(find(state, name));
      }),
      { numRuns: sized(300, 10_000) },
    );
  });

  test("leaves both as if they had never been merged, with what records wrote to each in between", {
    timeout: TIMEOUT_MS,
  }, () => {
    fc.assert(
      fc.property(history, history, history, (first, second, third) => {
        const apart = openState();
        run(apart, [...beginning, ...entriesOf([...first, ...second, ...third])]);
        const merged = openState();
        run(merged, [...beginning, ...entriesOf(first)]);
        const { id } = find(merged, "bob")!;
        run(merged, [join(find(merged, "ann")!, PEOPLE.bob), ...entriesOf(second)]);
        expect(find(merged, "bob")).toBe(find(merged, "ann"));
        run(merged, [split(find(merged, "ann")!, id), ...entriesOf(third)]);
        expect(pictureOf(merged)).toEqual(pictureOf(apart));
      }),
      { numRuns: sized(300, 10_000) },
    );
  });
});

/** Ann and Bob, merged, with the id that Bob had. */
function merged(subject: SubjectType = "user") {
  const state = openState();
  run(state, beginning);
  const ann = find(state, "ann")!;
  const { id } = find(state, "bob")!;
  run(state, [join(ann, PEOPLE.bob)]);
  expect(subject).toBe("user");
  return { state, ann, bobId: id };
}

const written = (user: UserClaims, plan: string): Entry => entry("traits", 55, user, { body: { plan } });

test("what names both, or the survivor's id, stays with the survivor unless it is chosen for the other", () => {
  const { state, ann, bobId } = merged();
  run(state, [
    written({ email: "ann@x" }, "hers"),
    { ...written({ id: ann.id }, "whose"), at: NOW - 900_000 },
    { ...written({ email: "ann@x", anonymous_id: "bob-1" }, "whose"), at: NOW - 890_000, body: { size: "L" } },
  ]);
  const { undecided } = state.users.halves.find(ann.id)!;
  expect([...undecided.cells.keys()].sort()).toEqual(["plan", "size"]);
  run(state, [split(ann, bobId, { choices: { attributes: ["plan"] } })]);
  const values = (name: Person) => {
    const { cells } = find(state, name)!;
    return [cells.get("plan")?.value, cells.get("size")?.value];
  };
  expect(values("ann")).toEqual(["hers", "L"]);
  expect(values("bob")).toEqual(["whose", undefined]);
});

test("a record by the former id of one that was merged is about that one", () => {
  const { state, ann, bobId } = merged();
  run(state, [written({ id: bobId }, "his"), split(ann, bobId)]);
  expect(find(state, "bob")?.cells.get("plan")?.value).toBe("his");
  expect(find(state, "ann")?.cells.has("plan")).toBe(false);
});

test("an identifier that a record adds goes to the one whom the record names", () => {
  const { state, ann, bobId } = merged();
  run(state, [written({ anonymous_id: "bob-1", external_id: "b" }, "x"), split(ann, bobId)]);
  expect(find(state, "bob")?.identifiers).toEqual({ anonymous_id: ["bob-1"], external_id: ["b"] });
  expect(state.users.lookup({ external_id: "b" })).toBe(find(state, "bob"));
});

test("what a browser says without proof is noted of the one whose browser it is", () => {
  const { state, ann, bobId } = merged();
  expect(find(state, "ann")?.hasHints).toBe(false);
  run(state, [{ ...written({ anonymous_id: "bob-1" }, "typed"), byEndUser: true }]);
  expect(find(state, "ann")?.hasHints).toBe(true);
  run(state, [split(ann, bobId)]);
  expect([find(state, "ann")?.hasHints, find(state, "bob")?.hasHints]).toEqual([false, true]);
});

test("two who must not be merged are not merged by the same evidence, and the record says so", () => {
  const { state, ann, bobId } = merged();
  run(state, [split(ann, bobId, { never_again: true })]);
  state.users.keptApart.add({ one: ann.id, other: bobId });
  const again = { ...entry("traits", 70, { email: "ann@x", anonymous_id: "bob-1" }, {}) };
  const { rejections } = applyEntries([again], state);
  expect(rejections).toMatchObject([{ code: "identity_conflict" }]);
  expect(find(state, "bob")).not.toBe(find(state, "ann"));
});

test("a merge cannot be undone twice, nor where there was none", () => {
  const { state, ann, bobId } = merged();
  run(state, [split(ann, bobId)]);
  const refused = (mergedId: string) => applyEntries([split(ann, mergedId)], state).rejections;
  expect(refused(bobId)).toMatchObject([{ code: "identity_conflict" }]);
  expect(refused(ann.id)).toMatchObject([{ code: "identity_conflict" }]);
});

test("of what was merged before, a copy is kept that later records do not change", () => {
  const state = openState();
  run(state, [...beginning, written({ anonymous_id: "bob-1" }, "old")]);
  const bob = copyProfile(find(state, "bob")!);
  run(state, [join(find(state, "ann")!, PEOPLE.bob), { ...written({ email: "ann@x" }, "new"), at: NOW }]);
  run(state, [split(find(state, "ann")!, bob.id)]);
  expect(seen(find(state, "bob"))).toEqual(seen(bob));
});
