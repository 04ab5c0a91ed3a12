import { createBrand, type UserClaims } from "@muster/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sized } from "../../../../../testing/test-length.js";
import { applyEntries } from "../../testing/apply-entries.js";
import { workingStateOf } from "../../testing/working-state-of.js";
import { endUserProblem, shapeProblem } from "../entries/admit-entry.js";
import type { Entry } from "../entries/entry.js";
import { identifiersIn } from "../entries/identifiers-in.js";
import { identifierKey, identifierKeys } from "../identity/identifiers.js";
import { Roster } from "../identity/roster.js";
import { copyProfile, createProfile, type Profile } from "../profiles/profile.js";
import type { WorkingState } from "./working-state.js";

const NOW = Date.parse("2026-05-01T12:00:00Z");

/** Known users in all shapes, and one browser of which nobody knows whose it is. */
const OTHERS: Record<string, Profile["identifiers"]> = {
  ann: { external_id: ["ann"], email: ["ann@x"], anonymous_id: ["ann-1", "ann-2"], domain: ["x"] },
  bob: { email: ["bob@x", "bob@y"], anonymous_id: ["bob-1"] },
  cay: { external_id: ["cay"] },
  dan: { external_id: ["dan"], anonymous_id: ["dan-1"] },
  eve: { email: ["eve@x"], domain: ["y"] },
};
const VALUES = {
  external_id: ["ann", "cay", "dan", "me", "free"],
  email: ["ann@x", "BOB@x", "bob@y", "eve@x", "me@x", "free@x"],
  anonymous_id: ["ann-1", "ann-2", "bob-1", "dan-1", "me-1", "me-2"],
  domain: ["x", "y", "z"],
};

/** Like the database, it loads only the users that the entries name. */
function openState(entries: readonly Entry[]): WorkingState & { others: Profile[] } {
  const limits = { mergesPerDay: 100, maxAnonymousIds: 100, maxSubjectBytes: 1_000_000 };
  const users = new Roster("user", limits, NOW);
  const named = entries.map((one) => identifiersIn("user", one));
  const ids = new Set(named.flatMap((names) => names.ids));
  const keys = new Set(
    named.flatMap(({ identifiers }) => identifiers.map(({ kind, value }) => identifierKey(kind, value))),
  );
  const others = Object.entries(OTHERS).map(([id, identifiers]) => {
    const profile: Profile = { ...createProfile("user", id, NOW - 1_000), identifiers: structuredClone(identifiers) };
    profile.cells.set("note", { value: `secret of ${id}`, written: { at: NOW - 1_000, source: "crm" } });
    if (ids.has(id) || identifierKeys(identifiers).some((key) => keys.has(key))) users.load(profile);
    return profile;
  });
  return { others, ...workingStateOf({ users, accounts: new Roster("account", limits, NOW), namesPerDay: 10 }) };
}

const someOf = (values: Partial<typeof VALUES>) =>
  fc.record(Object.fromEntries(Object.entries(values).map(([kind, all]) => [kind, fc.constantFrom(...all)])), {
    requiredKeys: [],
  });

/** Claims of the end user: its own external id or email, with any anonymous id and domain, or its own browser alone. */
const claims: fc.Arbitrary<UserClaims> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom<UserClaims>({ external_id: "me" }, { email: "me@x" }, { external_id: "me", email: "Me@x" }),
      someOf({ anonymous_id: VALUES.anonymous_id, domain: VALUES.domain }),
    )
    .map(([own, weak]) => ({ ...own, ...weak })),
  fc.constantFrom<UserClaims>({ anonymous_id: "me-1" }, { anonymous_id: "me-2" }),
);

/** A value of an attribute in each form that the API takes, and values that are no texts. */
const formOf = (value: string) =>
  fc.oneof(
    fc.constant<unknown>(value),
    fc.constant({ value }),
    fc.constantFrom("set", "setIfNull", "inc", "none").map((operation) => ({ value, operation })),
    fc.constantFrom<unknown>(null, 5, [value], { value: 5 }),
  );

/** Identifiers as attributes: in both spellings, which may stand side by side, and in each form. */
const identifyingAttributes = fc.record(
  Object.fromEntries(
    Object.entries(VALUES).flatMap(([kind, all]) =>
      [kind, `traits_${kind}`].map((key) => [key, fc.constantFrom(...all).chain(formOf)]),
    ),
  ),
  { requiredKeys: [] },
);

const aliasBody = fc.oneof(someOf(VALUES), identifyingAttributes);

const entry: fc.Arbitrary<Entry> = fc
  .record({
    user: claims,
    type: fc.constantFrom("traits" as const, "alias" as const, "unalias" as const, "track" as const),
    attributes: identifyingAttributes,
    identifiers: aliasBody,
    more: fc.record({ note: fc.constant("changed"), traits_plan: fc.constant("pro") }, { requiredKeys: [] }),
  })
  .map(({ user, type, attributes, identifiers, more }) => ({
    type,
    at: NOW,
    connectorId: "crm",
    byEndUser: true,
    subject: "user",
    user,
    create: true,
    active: false,
    body: {
      ...(type === "traits" ? { ...attributes, ...more } : identifiers),
      ...(type === "track" ? { event: "Viewed" } : {}),
    },
    eventId: "1",
  }));

test("no entries of an end user change a known user that is not the end user", () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 12 }), (given) => {
      const admitted = given.filter((one) => !shapeProblem(one) && !endUserProblem(one, createBrand()));
      const state = openState(admitted);
      const before = state.others.map(copyProfile);
      const { rejections } = applyEntries(admitted, state);
      expect(rejections.filter(({ code }) => code === "internal")).toEqual([]);
      expect(state.others).toEqual(before);
      expect(state.others.map((other) => state.users.current(other))).toEqual(before);
      expect(state.users.changed().filter((changed) => state.others.includes(changed))).toEqual([]);
      const { claimed, released } = state.users.identifierChanges();
      const theirs = state.others.flatMap(({ identifiers }) => identifierKeys(identifiers));
      const moved = [...claimed, ...released].map(({ kind, value }) => identifierKey(kind, value));
      expect(moved.filter((key) => theirs.includes(key))).toEqual([]);
    }),
    { numRuns: sized(300, 3_000) },
  );
});

test("no records at all make one user of two external ids", () => {
  const byConnector = entry.map(({ byEndUser: _, ...rest }): Entry => rest);
  const record = fc.tuple(byConnector, someOf(VALUES), fc.boolean()).map(
    ([given, user, hasId]): Entry => ({
      ...given,
      user: hasId ? { ...user, id: "ann" } : user,
    }),
  );
  fc.assert(
    fc.property(fc.array(record, { maxLength: 12 }), (given) => {
      const named = given.filter((one) => Object.keys(one.user ?? {}).length > 0);
      const state = openState(named);
      applyEntries(named, state);
      for (const profile of [...state.users.changed(), ...state.others]) {
        expect(profile.identifiers.external_id?.length ?? 0).toBeLessThanOrEqual(1);
      }
    }),
    { numRuns: sized(300, 3_000) },
  );
});
