import { describe, expect, test } from "vitest";
import { type ChangeSet, NO_CHANGE } from "../changes/change-set.js";
import type { StoredEvent } from "../events/stored-event.js";
import { forgetSubjects, subjectsOf } from "./forget-subjects.js";

const event = (fields: Partial<StoredEvent>) =>
  ({ id: "e", event_source: "", user_id: "", origin_id: "", account_id: null, ...fields }) as StoredEvent;
const change = (fields: Partial<ChangeSet>): ChangeSet => ({ ...NO_CHANGE, ...fields });
const profile = (id: string) => ({ id, isNew: false, changes: {} });

describe("forgetting subjects removes from a change", () => {
  const gone = new Set(["gone"]);
  const forget = (fields: Partial<ChangeSet>) => forgetSubjects(change(fields), gone);

  test("their profiles and the merges they took part in", () => {
    const merge = (loser: string, survivor: string) => ({ kind: "user" as const, loser, survivor, hasEvents: true });
    expect(
      forget({
        users: [profile("gone"), profile("kept")],
        accounts: [profile("gone"), profile("kept")],
        merges: [merge("gone", "x"), merge("x", "gone"), merge("x", "y")],
      }),
    ).toEqual(change({ users: [profile("kept")], accounts: [profile("kept")], merges: [merge("x", "y")] }));
  });

  test("their events, also those from before a merge, but not a user's events within an erased account", () => {
    const kept = event({ user_id: "kept", origin_id: "kept", account_id: "gone" });
    const events = [
      event({ user_id: "gone" }),
      event({ user_id: "x", origin_id: "gone" }),
      event({ event_source: "platform", account_id: "gone" }),
      kept,
    ];
    expect(forget({ events }).events).toEqual([kept]);
  });

  test("their moves into and out of segments", () => {
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

  test("the events that they have lost to others", () => {
    const lost = [
      { event: "Order", userId: "gone", accountId: "a" },
      { event: "Order", userId: "u", accountId: "gone" },
    ];
    expect(forget({ lost }).lost).toEqual([
      { event: "Order", userId: null, accountId: "a" },
      { event: "Order", userId: "u", accountId: null },
    ]);
  });

  test("not the fact that they were erased", () => {
    const removed = [{ kind: "user" as const, id: "gone", formerIds: ["before"] }];
    expect(forget({ removed }).removed).toEqual(removed);
  });
});

test("subjectsOf lists every subject that a change contains data of", () => {
  const all = change({
    users: [profile("u")],
    accounts: [profile("a")],
    lost: [{ event: "Order", userId: "lu", accountId: "la" }],
    events: [event({ user_id: "eu", origin_id: "eo", account_id: "ea" })],
    merges: [{ kind: "user", loser: "l", survivor: "s", hasEvents: false }],
    evaluation: {
      at: "",
      moves: [{ segmentId: "", segmentName: "", subjectType: "user", entered: ["in"], left: ["out"] }],
    },
  });
  expect(subjectsOf(all)).toEqual(
    expect.arrayContaining(["u", "a", "eu", "eo", "ea", "lu", "la", "l", "s", "in", "out"]),
  );
});
