import fc from "fast-check";
import { expect, test } from "vitest";
import { EntryFault, type Outcome } from "../../domain/apply/entry-application.js";
import type { WorkingState } from "../../domain/apply/working-state.js";
import { AttributeDefinitions } from "../../domain/attributes/attribute-definitions.js";
import type { Entry } from "../../domain/entries/entry.js";
import { Roster } from "../../domain/identity/roster.js";
import { createProfile } from "../../domain/profiles/profile.js";
import { applyEntries } from "../../testing/apply-entries.js";
import { workingStateOf } from "../../testing/working-state-of.js";
import { applyToLoaded } from "./apply-to-loaded.js";
import { createContextReaders } from "./context-readers.js";

const LIMITS = { mergesPerDay: 50, maxAnonymousIds: 100, maxSubjectBytes: 1_000_000 };
const NAMES = ["ann", "bob", "eve"];
const readers = createContextReaders(undefined);

/** The stored state: one user and one account for the first name, with some attributes. */
async function load(): Promise<WorkingState> {
  const users = new Roster("user", LIMITS, 0);
  const accounts = new Roster("account", LIMITS, 0);
  const ann = createProfile("user", "0a0000000000000000000001", 5);
  ann.identifiers = { external_id: ["ann"], email: ["ann@example.com"] };
  ann.cells = new Map([["points", { value: 10, written: { at: 1, source: "c" } }]]);
  users.load(ann);
  const acme = createProfile("account", "0b0000000000000000000001", 5);
  acme.identifiers = { domain: ["acme.com"] };
  accounts.load(acme);
  const definition = {
    name: "points",
    type: "numeric",
    visible: true,
    trackChanges: true,
    serverOnly: null,
    byEndUser: false,
  } as const;
  const userAttributes = new AttributeDefinitions([definition], 100);
  return workingStateOf({ users, accounts, userAttributes, namesPerDay: 0, ...readers });
}

/** Everything that applying has changed, without the ids that differ each time. */
function picture({ users, accounts, userAttributes, accountAttributes, knownEvents }: WorkingState, outcome: Outcome) {
  const label = ({ identifiers }: { identifiers: object }) => JSON.stringify(identifiers);
  const ofRoster = (roster: Roster) => ({
    changed: roster
      .changed()
      .map((profile) => ({ ...profile, id: "", accountId: profile.accountId === undefined ? "none" : "some" })),
    before: roster.changed().map((profile) => [...roster.before.valuesOf(profile)]),
    isNew: roster.changed().map((profile) => roster.isNew(profile)),
    removed: roster.removed().map(label),
    merges: roster.merges().map(({ survivor, loser }) => [label(survivor), label(loser)]),
    identifiers: (() => {
      const { claimed, released } = roster.identifierChanges();
      return { claimed: claimed.map(({ kind, value }) => [kind, value]), released };
    })(),
  });
  return {
    users: ofRoster(users),
    accounts: ofRoster(accounts),
    attributes: [userAttributes.added(), accountAttributes.added()],
    knownEvents: [...knownEvents.keys()],
    events: [...outcome.events.values()].map(({ event, eventId, properties }) => [event, eventId, properties]),
    replaced: [...outcome.replaced.keys()],
  };
}

const someone = fc.constantFrom(...NAMES);
const anyEntry: fc.Arbitrary<Entry> = fc
  .record({
    type: fc.constantFrom("traits" as const, "track" as const, "alias" as const, "unalias" as const),
    name: someone,
    other: someone,
    at: fc.integer({ min: 1, max: 9 }),
    active: fc.boolean(),
    withAccount: fc.boolean(),
  })
  .map(({ type, name, other, at, active, withAccount }) => ({
    type,
    at,
    connectorId: "c",
    subject: "user",
    user: { external_id: name },
    ...(withAccount ? { account: { domain: "acme.com" } } : {}),
    create: true,
    active,
    ...(type === "track" ? { eventId: `${name} ${at}`, overwrites: true as const } : {}),
    body: {
      traits: { points: { value: at, operation: "inc" }, [`is_${other}`]: true, email: `${other}@example.com` },
      track: { event: "Ordered", properties: { at }, session_id: other },
      alias: { anonymous_id: `cookie-${other}`, email: `${other}@example.com` },
      unalias: { email: `${other}@example.com` },
    }[type],
  }));

/** The same entry, but the access number `fuse` to the body or a part of it throws. */
function withFuse(entry: Entry, fuse: number): Entry {
  let left = fuse;
  const burn = () => {
    if (left-- === 0) throw new Error("The fuse has blown.");
  };
  const wrap = (value: object): object =>
    new Proxy(value, {
      get(target, key, receiver) {
        burn();
        const found: unknown = Reflect.get(target, key, receiver);
        return typeof found === "object" && found !== null ? wrap(found) : found;
      },
      ownKeys(target) {
        burn();
        return Reflect.ownKeys(target);
      },
    });
  return { ...entry, body: wrap(entry.body) as Entry["body"], ...(entry.user ? { user: wrap(entry.user) } : {}) };
}

test("an entry that throws at any point has no effect, and the entries around it have all of theirs", async () => {
  const cases = fc.record({
    before: fc.array(anyEntry, { maxLength: 4 }),
    broken: anyEntry,
    fuse: fc.nat(25),
    after: fc.array(anyEntry, { maxLength: 4 }),
  });
  let blown = 0;
  await fc.assert(
    fc.asyncProperty(cases, async ({ before, broken, fuse, after }) => {
      const bad = withFuse(broken, fuse);
      const { state, outcome, faults } = await applyToLoaded(load, [...before, bad, ...after]);
      if (faults.length === 0) return;
      blown += 1;
      expect(faults.map(({ entry }) => entry === bad)).toEqual([true]);
      expect(outcome.rejections.filter(({ entry }) => entry === bad)).toMatchObject([
        { code: "internal", message: "It could not be applied: The fuse has blown." },
      ]);
      const untouched = await load();
      expect(picture(state, outcome)).toEqual(picture(untouched, applyEntries([...before, ...after], untouched)));
    }),
    { numRuns: 300 },
  );
  expect(blown).toBeGreaterThan(50);
});

const entry: Entry = {
  type: "traits",
  at: 1,
  connectorId: "c",
  subject: "user",
  user: { external_id: "ann" },
  create: true,
  active: false,
  body: { a: 1 },
};

test("an entry of a type that a newer server has accepted is listed as rejected", async () => {
  const unknown = { ...entry, type: "applause" } as unknown as Entry;
  const { outcome } = await applyToLoaded(load, [unknown, entry]);
  expect(outcome.rejections).toMatchObject([
    { entry: unknown, code: "invalid_entry", message: expect.stringContaining('type "applause"') },
  ]);
});

test("too many entries that throw are given up together, so that smaller micro-batches find them", async () => {
  const throws = () => {
    throw new Error("This body cannot be read.");
  };
  const broken = () => ({ ...entry, body: new Proxy({}, { ownKeys: throws }) });
  await expect(applyToLoaded(load, Array.from({ length: 10 }, broken))).rejects.toThrow(EntryFault);
});
