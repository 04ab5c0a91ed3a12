import { beforeEach, describe, expect, test } from "vitest";
import { createProfile, type Profile } from "../profiles/profile.js";
import { mergeProfiles } from "./merge.js";

let survivor: Profile;
let loser: Profile;
beforeEach(() => {
  survivor = createProfile("user", "survivor", 1_000);
  loser = createProfile("user", "loser", 500);
});

const merged = () => {
  mergeProfiles(survivor, loser);
  return survivor;
};

test("the survivor has the identifiers of both, each once, its own first", () => {
  survivor.identifiers = { external_id: ["1"], anonymous_id: ["a", "b"] };
  loser.identifiers = { email: ["x@example.com"], anonymous_id: ["b", "c"] };
  expect(merged().identifiers).toEqual({ external_id: ["1"], email: ["x@example.com"], anonymous_id: ["a", "b", "c"] });
});

describe("an attribute", () => {
  const cell = (value: string | null, at: number) => ({ value, written: { at, source: "c" } });

  test("keeps its newest value, and the survivor's when both were written at the same time", () => {
    survivor.cells = new Map(Object.entries({ newer: cell("s", 20), older: cell("s", 10), same: cell("s", 10) }));
    loser.cells = new Map(
      Object.entries({ newer: cell("l", 10), older: cell("l", 20), same: cell("l", 10), own: cell("l", 1) }),
    );
    expect(Object.fromEntries([...merged().cells].map(([name, { value }]) => [name, value]))).toEqual({
      newer: "s",
      older: "l",
      same: "s",
      own: "l",
    });
  });

  test("stays unset when unsetting it was the newest write", () => {
    survivor.cells.set("a", cell("value", 10));
    loser.cells.set("a", cell(null, 20));
    expect(merged().cells.get("a")?.value).toBeNull();
  });
});

test("first and last times, the last address and the sessions are taken from both", () => {
  Object.assign(survivor, {
    firstSeenAt: 30,
    lastSeenAt: 40,
    lastKnownIp: { value: "s", at: 40 },
    sessions: { first: { value: "s1", at: 30 }, latest: { value: "s2", at: 40 }, signup: { value: "s1", at: 30 } },
  });
  Object.assign(loser, {
    firstSeenAt: 10,
    lastSeenAt: 50,
    lastKnownIp: { value: "l", at: 20 },
    sessions: { first: { value: "l1", at: 10 }, latest: { value: "l1", at: 10 } },
  });
  expect(merged()).toMatchObject({
    createdAt: 500,
    firstSeenAt: 10,
    lastSeenAt: 50,
    lastKnownIp: { value: "s", at: 40 },
    sessions: { first: { value: "l1" }, latest: { value: "s2" }, signup: { value: "s1" } },
  });
});

test("a field that the survivor does not have is taken from the loser", () => {
  Object.assign(loser, { lastSeenAt: 5, firstSeenAt: 5, lastKnownIp: { value: "l", at: 5 }, hasEvents: true });
  expect(merged()).toMatchObject({ firstSeenAt: 5, lastSeenAt: 5, lastKnownIp: { value: "l" }, hasEvents: true });
});

test("of two values with the same time the same one is kept, whichever profile survives", () => {
  const [one, other] = [
    { value: "a", at: 5 },
    { value: "b", at: 5 },
  ];
  survivor.lastKnownIp = one;
  loser.lastKnownIp = other;
  const forward = merged().lastKnownIp;
  survivor.lastKnownIp = other;
  loser.lastKnownIp = one;
  expect(merged().lastKnownIp).toEqual(forward);
});

describe("the linked account", () => {
  test.each([
    [undefined, 0, "l", 5, "l"],
    ["s", 9, "l", 5, "s"],
    ["s", 5, "l", 9, "l"],
    ["s", 5, undefined, 0, "s"],
  ])("%s since %d and %s since %d gives %s, the later link", (own, ownSince, others, othersSince, expected) => {
    Object.assign(survivor, { accountId: own, linkedAt: ownSince });
    Object.assign(loser, { accountId: others, linkedAt: othersSince });
    expect(merged().accountId).toBe(expected);
  });
});
