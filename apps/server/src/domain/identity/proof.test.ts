import { createBrand, type UserClaims } from "@muster/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { sized } from "../../../../../testing/test-length.js";
import { applyEntries } from "../../testing/apply-entries.js";
import { workingStateOf } from "../../testing/working-state-of.js";
import type { WorkingState } from "../apply/working-state.js";
import { AttributeDefinitions } from "../attributes/attribute-definitions.js";
import { parseFormula } from "../computed/formula.js";
import { evaluateFormulas, type OwnFormula } from "../computed/own-values.js";
import { endUserProblem, shapeProblem } from "../entries/admit-entry.js";
import type { Entry } from "../entries/entry.js";
import type { Profile } from "../profiles/profile.js";
import { provedPart } from "./proof.js";
import { Roster } from "./roster.js";

const NOW = Date.parse("2026-05-01T12:00:00Z");
const PEOPLE = ["ann", "bob", "cay"] as const;
const ATTACKERS = ["eve", "mal"] as const;
const EVERYBODY = [...PEOPLE, ...ATTACKERS];
const BROWSERS = [...EVERYBODY.map((name) => `${name}-browser`), "new-browser"];
const EMAILS = [...EVERYBODY.map((name) => `${name}@x`), "Ann@X ", "free@x"];
const ATTRIBUTES = ["name", "note", "crm/stage", "points", "email", "created_at"];

// Defined before: the first value of an attribute decides its type, whoever sends it.
const DEFINITIONS = (
  [
    ["note", "string"],
    ["crm/stage", "string"],
    ["points", "numeric"],
  ] as const
).map(([name, type]) => ({ name, type, visible: true, trackChanges: true, serverOnly: false, byEndUser: false }));

function openState(): WorkingState {
  const limits = { mergesPerDay: 1_000, maxAnonymousIds: 1_000, maxSubjectBytes: 1_000_000 };
  return workingStateOf({
    users: new Roster("user", limits, NOW),
    accounts: new Roster("account", limits, NOW),
    userAttributes: new AttributeDefinitions(DEFINITIONS, 100),
    namesPerDay: 100,
  });
}

/** An entry, and who made it. Values of text attributes begin with the name of whoever wrote them. */
interface Made {
  by: string;
  entry: Entry;
}

function valueBy(by: string, attribute: string, count: number, email: string): unknown {
  switch (attribute) {
    case "email":
      return email;
    case "points":
      return { value: 1 + count, operation: "inc" };
    case "created_at":
      return new Date(NOW - count).toISOString();
    default:
      return count % 3 === 0 ? { value: `${by} ${count}`, operation: "setIfNull" } : `${by} ${count}`;
  }
}

/** What one person or attacker may send: with proof of who it is, or with a browser alone. */
function madeBy(by: string, own: { browsers: string[]; emails: string[] }): fc.Arbitrary<Made> {
  return fc
    .record({
      proof: fc.constantFrom("connector", "token", "none"),
      browser: fc.constantFrom(...own.browsers),
      other: fc.constantFrom(...own.browsers),
      type: fc.constantFrom("traits" as const, "traits" as const, "track" as const, "alias" as const),
      attributes: fc.uniqueArray(fc.constantFrom(...ATTRIBUTES), { minLength: 1, maxLength: 3 }),
      count: fc.nat(5),
      email: fc.constantFrom(...own.emails),
      at: fc.nat(1_000),
      isUnset: fc.boolean(),
      isFromLink: fc.boolean(),
    })
    .map(({ proof, browser, other, type, attributes, count, email, at, isUnset, isFromLink }): Made => {
      // No connector says anything about an attacker: the attacker has no secret.
      const isByEndUser = proof !== "connector" || (ATTACKERS as readonly string[]).includes(by);
      const isSignedIn = proof !== "none";
      const user: UserClaims = isByEndUser
        ? { anonymous_id: browser, ...(isSignedIn ? { email: `${by}@x` } : {}) }
        : { email: `${by}@x`, external_id: by };
      const traits = attributes.map((name) => [name, isUnset ? null : valueBy(by, name, count, email)] as const);
      const bodies = {
        traits: Object.fromEntries(traits),
        track: { event: `Seen by ${by}` },
        alias: { anonymous_id: other, ...(isFromLink ? { from: "link" } : {}) },
      };
      return {
        by,
        entry: {
          type,
          at: NOW - 1_000 + at,
          connectorId: isByEndUser && !isSignedIn ? "page" : "crm",
          ...(isByEndUser ? { byEndUser: true as const } : {}),
          subject: "user",
          user,
          create: true,
          active: false,
          body: bodies[type],
          eventId: `${by} ${count}`,
        },
      };
    });
}

// People use their own browser and address. Attackers know every browser and every address.
const byPeople = PEOPLE.map((name) => madeBy(name, { browsers: [`${name}-browser`], emails: [`${name}@x`] }));
const byAttackers = ATTACKERS.map((name) => madeBy(name, { browsers: BROWSERS, emails: EMAILS }));
const history = fc.array(fc.oneof(...byPeople, ...byAttackers), { maxLength: 25 });

// What one person wrote must not come to another one by way of what is computed from it.
const FORMULAS: readonly OwnFormula[] = [
  ["label", "coalesce(note, name)"],
  ["same_label", "label"],
].map(([name, text]) => {
  const formula = parseFormula(text!);
  return { id: name!, name: name!, type: "string", reads: formula.reads, formula };
});

function play(made: readonly Made[]): WorkingState {
  const entries = made.map(({ entry }) => entry);
  const admitted = entries.filter(
    (entry) => !shapeProblem(entry) && !(entry.byEndUser && endUserProblem(entry, createBrand())),
  );
  const state = openState();
  const { rejections } = applyEntries(admitted, state);
  expect(rejections.filter(({ code }) => code === "internal")).toEqual([]);
  return state;
}

/** What is proved of a user: who it is, and the values that outrank all others. */
function provedState(profile: Profile | undefined) {
  if (!profile) return undefined;
  const { identifiers, cells, accountId } = provedPart(profile);
  const { external_id, email } = identifiers;
  return { external_id, email, accountId, cells: new Map([...cells].sort(([one], [other]) => (one < other ? -1 : 1))) };
}

test("whatever attackers send, what is proved of people is as if the attackers did not exist", () => {
  fc.assert(
    fc.property(history, (made) => {
      const attacked = play(made);
      const quiet = play(made.filter(({ by }) => !(ATTACKERS as readonly string[]).includes(by)));
      for (const name of PEOPLE) {
        const claims = { email: `${name}@x` };
        expect(provedState(attacked.users.lookup(claims))).toEqual(provedState(quiet.users.lookup(claims)));
      }
    }),
    { numRuns: sized(1_000, 10_000) },
  );
});

test("what a user reads is what that user, or a connector, has written about that user", () => {
  fc.assert(
    fc.property(history, (made) => {
      const { users } = play(made);
      for (const name of EVERYBODY) {
        const profile = users.lookup({ email: `${name}@x` });
        if (!profile) continue;
        evaluateFormulas(users, profile, FORMULAS, { now: NOW, onProblem: () => undefined });
        for (const { value } of provedPart(profile).cells.values()) {
          if (typeof value !== "string" || !/^[a-z]+ \d$/.test(value)) continue;
          expect(value.split(" ")[0]).toBe(name);
        }
      }
    }),
    { numRuns: sized(1_000, 10_000) },
  );
});

test("no two people become one, and none of them an attacker", () => {
  fc.assert(
    fc.property(history, (made) => {
      const { users } = play(made);
      const found = EVERYBODY.map((name) => users.lookup({ email: `${name}@x` })).filter((user) => user !== undefined);
      expect(new Set(found).size).toBe(found.length);
    }),
    { numRuns: sized(500, 3_000) },
  );
});

test("an email that a visitor typed is shown, marked as unproved, and identifies nobody", () => {
  const typed: Entry = {
    type: "traits",
    at: NOW,
    connectorId: "page",
    byEndUser: true,
    subject: "user",
    user: { anonymous_id: "visitor" },
    create: true,
    active: false,
    body: { email: "boss@corp.io" },
  };
  const proof: Entry = { ...typed, connectorId: "crm", user: { email: "boss@corp.io" }, body: { plan: "gold" } };
  const { users } = play([typed, { ...proof, at: NOW - 5 }].map((entry) => ({ by: "", entry })));
  const visitor = users.lookup({ anonymous_id: "visitor" });
  const boss = users.lookup({ email: "boss@corp.io" });
  expect(visitor?.cells.get("email")).toEqual({
    value: "boss@corp.io",
    written: { at: NOW, source: "page", unproved: true },
  });
  expect(boss).not.toBe(visitor);
  expect(boss?.identifiers).toEqual({ email: ["boss@corp.io"] });
  expect(boss?.cells.get("email")?.written.unproved).toBeUndefined();
});

test("a sign-in in the browser joins the visitor, whose values stay marked", () => {
  const visitor: Entry = {
    type: "traits",
    at: NOW,
    connectorId: "page",
    byEndUser: true,
    subject: "user",
    user: { anonymous_id: "b" },
    create: true,
    active: false,
    body: { name: "Typed", color: "red" },
  };
  const signIn: Entry = { ...visitor, at: NOW - 9, connectorId: "crm", user: { email: "a@x", anonymous_id: "b" } };
  const { users } = play([visitor, { ...signIn, body: { name: "Known" } }].map((entry) => ({ by: "", entry })));
  const user = users.lookup({ email: "a@x" });
  expect(users.lookup({ anonymous_id: "b" })).toBe(user);
  expect(user?.cells.get("name")).toMatchObject({ value: "Known", written: { at: NOW - 9 } });
  expect(user?.cells.get("color")).toMatchObject({ value: "red", written: { unproved: true } });
});
