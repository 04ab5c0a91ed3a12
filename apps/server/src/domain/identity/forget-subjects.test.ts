import { describe, expect, test } from "vitest";
import { type ChangeSet, NO_CHANGE, type StoredEvent } from "../changes/change-set.js";
import type { Entry } from "../entries/entry.js";
import { forgetSubjects, subjectsOf } from "./forget-subjects.js";
import { Traces } from "./traces.js";

const event = (fields: Partial<StoredEvent>) =>
  ({ id: "e", event_source: "", user_id: "", origin_id: "", account_id: null, ...fields }) as StoredEvent;
const change = (fields: Partial<ChangeSet>): ChangeSet => ({ ...NO_CHANGE, ...fields });
const profile = (id: string) => ({ id, isNew: false, changes: {} });

describe("a change forgets subjects", () => {
  const gone = new Set(["gone"]);
  const forget = (fields: Partial<ChangeSet>) => forgetSubjects(change(fields), gone);

  test("among its users, accounts and merges", () => {
    const merge = (loser: string, survivor: string) => ({ kind: "user" as const, loser, survivor, hasEvents: true });
    expect(
      forget({
        users: [profile("gone"), profile("kept")],
        accounts: [profile("gone"), profile("kept")],
        merges: [merge("gone", "x"), merge("x", "gone"), merge("x", "y")],
      }),
    ).toEqual(change({ users: [profile("kept")], accounts: [profile("kept")], merges: [merge("x", "y")] }));
  });

  test("in their events, also those they had under a former id; a user's events with an account stay", () => {
    const kept = event({ user_id: "kept", origin_id: "kept", account_id: "gone" });
    const events = [
      event({ user_id: "gone" }),
      event({ user_id: "x", origin_id: "gone" }),
      event({ event_source: "platform", account_id: "gone" }),
      kept,
    ];
    expect(forget({ events }).events).toEqual([kept]);
  });

  test("in what evaluation moved", () => {
    const move = {
      segmentId: "s",
      segmentName: "S",
      subjectType: "user" as const,
      entered: ["gone", "a"],
      left: ["b", "gone"],
    };
    const evaluation = { at: "2026-01-01", moves: [move] };
    expect(forget({ evaluation }).evaluation).toEqual({
      ...evaluation,
      moves: [{ ...move, entered: ["a"], left: ["b"] }],
    });
  });

  test("but not that they were erased", () => {
    const removed = [{ kind: "user" as const, id: "gone", formerIds: ["before"] }];
    expect(forget({ removed }).removed).toEqual(removed);
  });

  test("and finds everybody it holds something of", () => {
    const all = change({
      users: [profile("u")],
      accounts: [profile("a")],
      events: [event({ user_id: "eu", origin_id: "eo", account_id: "ea" })],
      merges: [{ kind: "user", loser: "l", survivor: "s", hasEvents: false }],
      evaluation: {
        at: "",
        moves: [{ segmentId: "", segmentName: "", subjectType: "user", entered: ["in"], left: ["out"] }],
      },
    });
    expect(subjectsOf(all)).toEqual(expect.arrayContaining(["u", "a", "eu", "eo", "ea", "l", "s", "in", "out"]));
  });
});

describe("traces of erased subjects", () => {
  const USER = "000000000000100000000001";
  const ACCOUNT = "000000000000110000000001";
  const erasedAt = new Date("2026-05-01T12:00:00Z");
  const before = new Date("2026-05-01T11:00:00Z");
  const after = new Date("2026-05-01T13:00:00Z");
  const traces = new Traces([
    { id: USER, identifiers: ["email ann@example.com", "anonymous_id c"], erasedAt },
    { id: ACCOUNT, identifiers: ["domain acme.com"], erasedAt },
  ]);
  const entry = (claims: Pick<Entry, "user" | "account">) =>
    ({ type: "traits", subject: "user", body: {}, ...claims }) as Entry;

  test.each<[Pick<Entry, "user" | "account">]>([
    [{ user: { email: " Ann@Example.com" } }],
    [{ user: { external_id: "other", anonymous_id: "c" } }],
    [{ user: { id: USER } }],
    [{ user: { external_id: "kept" }, account: { domain: "www.acme.com" } }],
  ])("lead to %o", (claims) => {
    expect(traces.lead(entry(claims), before)).toBe(true);
  });

  test.each<[Pick<Entry, "user" | "account">]>([
    [{ user: { email: "bob@example.com" } }],
    [{ user: { external_id: "c" } }],
    [{ user: { domain: "acme.com" } }],
    [{ account: { anonymous_id: "c" } }],
  ])("do not lead to %o", (claims) => {
    expect(traces.lead(entry(claims), before)).toBe(false);
  });

  test("end when the subject was erased: later entries are of somebody new, unless they name the id", () => {
    expect(traces.lead(entry({ user: { email: "ann@example.com" } }), after)).toBe(false);
    expect(traces.lead(entry({ user: { id: USER } }), after)).toBe(true);
  });
});
