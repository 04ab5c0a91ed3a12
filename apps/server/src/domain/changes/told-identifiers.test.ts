// @module-tag long
import type { SubjectType } from "@muster/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { applyEntries } from "../../testing/apply-entries.js";
import { workingStateOf } from "../../testing/working-state-of.js";
import { summariseBatch } from "../apply/summarise-batch.js";
import { allChanges } from "../delivery/account-changes.js";
import type { Entry } from "../entries/entry.js";
import { Roster } from "../identity/roster.js";
import { copyProfile, type Profile } from "../profiles/profile.js";
import { ALL_VISIBLE, type Report, reportOf } from "../profiles/report.js";
import type { ChangeSet } from "./change-set.js";
import { gatherNews } from "./news.js";

const NOW = Date.parse("2026-05-01T12:00:00Z");
const KINDS = ["user", "account"] as const;
const SHOWN = {
  user: ["external_id", "email", "domain", "anonymous_ids"],
  account: ["external_id", "domain", "anonymous_ids"],
};

const VALUES = {
  external_id: ["1", "2", "3"],
  email: ["ann@x", "Ann@X ", "bob@x"],
  anonymous_id: ["a", "b", "c", "d"],
  domain: ["x", "www.x", "y"],
};

const someOf = (kinds: readonly (keyof typeof VALUES)[]) =>
  fc
    .record(Object.fromEntries(kinds.map((kind) => [kind, fc.constantFrom(...VALUES[kind])])), { requiredKeys: [] })
    .filter((claims) => Object.keys(claims).length > 0);

const ofUser = someOf(["external_id", "email", "anonymous_id", "domain"]);
const ofAccount = someOf(["external_id", "domain", "anonymous_id"]);

const entry: fc.Arbitrary<Entry> = fc
  .record({
    subject: fc.constantFrom(...KINDS),
    type: fc.constantFrom("traits", "traits", "traits", "alias", "alias", "unalias", "unalias", "incinerate" as const),
    user: ofUser,
    account: ofAccount,
    isLinked: fc.boolean(),
    body: fc.record({ user: ofUser, account: ofAccount }),
    isUnset: fc.boolean(),
    at: fc.integer({ min: NOW - 20, max: NOW }),
    byEndUser: fc.boolean(),
  })
  .map(({ subject, type, user, account, isLinked, body, isUnset, at, byEndUser }): Entry => {
    const { anonymous_id: _anonymous, ...attributes } = body[subject] as Record<string, unknown>;
    const unset = Object.fromEntries(Object.keys(attributes).map((name) => [name, null]));
    return {
      type: type as Entry["type"],
      at,
      connectorId: "crm",
      subject,
      ...(subject === "user" || isLinked ? { user } : {}),
      ...(subject === "account" || isLinked ? { account } : {}),
      ...(byEndUser ? { byEndUser: true } : {}),
      create: true,
      active: false,
      body: type === "traits" ? (isUnset ? unset : attributes) : body[subject],
    };
  });

type Store = Record<SubjectType, Map<string, Profile>>;

/** Applies entries as one micro-batch to the stored profiles, and returns the change. */
function applyBatch(entries: readonly Entry[], store: Store, sequence: number): ChangeSet {
  const rosterOf = (kind: SubjectType) => {
    const roster = new Roster(kind, { mergesPerDay: 1_000, maxAnonymousIds: 3, maxSubjectBytes: 1_000_000 }, NOW);
    for (const profile of store[kind].values()) roster.load(copyProfile(profile));
    return roster;
  };
  const state = workingStateOf({ users: rosterOf("user"), accounts: rosterOf("account"), namesPerDay: 10 });
  const change = summariseBatch(applyEntries(entries, state), state, {
    sequence,
    now: NOW,
    isQuiet: false,
    attributesChanged: "attributes_changed",
  });
  for (const kind of KINDS) {
    const roster = state[`${kind}s`];
    for (const { loser } of roster.merges()) store[kind].delete(loser.id);
    for (const { id } of roster.removed()) store[kind].delete(id);
    for (const profile of roster.changed()) store[kind].set(profile.id, profile);
  }
  return change;
}

/** What a connector knows that has applied the changes of every message to what it knew before. */
class Listener {
  readonly known: Record<SubjectType, Map<string, Report>> = { user: new Map(), account: new Map() };

  hear(changes: readonly ChangeSet[]): void {
    const news = gatherNews(changes, []);
    for (const { merges } of changes) for (const { kind, loser } of merges) this.known[kind].delete(loser);
    for (const { kind, id } of news.deleted) this.known[kind].delete(id);
    for (const kind of KINDS) {
      for (const subject of news[kind].values()) {
        const report = subject.isNew ? {} : this.#knownReport(kind, subject.id);
        for (const [key, [from, to]] of Object.entries(allChanges(subject))) {
          if (!SHOWN[kind].includes(key)) continue;
          expect([kind, key, from]).toEqual([kind, key, report[key] ?? (subject.isNew ? null : nothing(key))]);
          expect(to).not.toEqual(from);
          report[key] = to;
        }
        this.known[kind].set(subject.id, report);
      }
    }
  }

  #knownReport(kind: SubjectType, id: string): Report {
    const report = this.known[kind].get(id);
    expect([kind, id, report]).toEqual([kind, id, expect.any(Object)]);
    return report as Report;
  }
}

const nothing = (key: string) => (key === "anonymous_ids" ? [] : null);

test("a connector that applies the changes of all messages knows the identifiers that the reports show", () => {
  const batch = fc.array(entry, { minLength: 1, maxLength: 6 });
  // Several micro-batches may be told in one message.
  const step = fc.array(batch, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
      const store: Store = { user: new Map(), account: new Map() };
      const listener = new Listener();
      let sequence = 0;
      for (const batches of steps) listener.hear(batches.map((entries) => applyBatch(entries, store, ++sequence)));
      for (const kind of KINDS) {
        expect([...listener.known[kind].keys()].sort()).toEqual([...store[kind].keys()].sort());
        for (const [id, profile] of store[kind]) {
          const report = reportOf(profile, ALL_VISIBLE, NOW);
          for (const key of SHOWN[kind]) {
            expect([id, key, listener.known[kind].get(id)?.[key] ?? nothing(key)]).toEqual([id, key, report[key]]);
          }
        }
      }
    }),
    { numRuns: 300 },
  );
});
