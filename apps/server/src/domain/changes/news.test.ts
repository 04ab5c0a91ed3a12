import { MUSTER_SOURCE } from "@muster/protocol";
import { describe, expect, test } from "vitest";
import type { StoredEvent } from "../events/stored-event.js";
import { type ChangeSet, NO_CHANGE, type ProfileChange } from "./change-set.js";
import { gatherNews, isNews } from "./news.js";

function changed(id: string, changes: ProfileChange["changes"], isNew = false): ProfileChange {
  return { id, isNew, changes };
}

function change(parts: Partial<ChangeSet>): ChangeSet {
  return { ...NO_CHANGE, ...parts };
}

function event(userId: string, name: string, source = ""): StoredEvent {
  return {
    id: `${userId}-${name}`,
    event: name,
    event_id: name,
    event_source: source,
    event_type: "track",
    created_at: "2026-01-01T00:00:00.000Z",
    user_id: userId,
    origin_id: userId,
    account_id: null,
    anonymous_id: null,
    session_id: null,
    properties: {},
    context: {},
  };
}

test("several changes of one user become one, from the first value to the last", () => {
  const { user } = gatherNews(
    [
      change({ users: [changed("u", { traits_a: [1, 2] }, true)] }),
      change({ users: [changed("u", { traits_a: [2, 3], traits_b: [null, "x"] })] }),
    ],
    [],
  );
  expect([...user.values()]).toEqual([
    {
      id: "u",
      isNew: true,
      changes: { traits_a: [1, 3], traits_b: [null, "x"] },
      identifiers: {},
      events: [],
      entered: [],
      left: [],
    },
  ]);
});

test("a value that was changed and changed back is not told", () => {
  const { user } = gatherNews(
    [
      change({ users: [changed("u", { traits_a: [1, 2], tags: [["x"], []] })] }),
      change({ users: [changed("u", { traits_a: [2, 1], tags: [[], ["x"]] })] }),
    ],
    [],
  );
  expect(isNews(user.get("u")!)).toBe(false);
});

test("several changes of identifiers become one, and one that was changed back is not told", () => {
  const identified = (id: string, identifiers: ProfileChange["changes"]) => ({ ...changed(id, {}), identifiers });
  const { user } = gatherNews(
    [
      change({
        users: [
          identified("u", { anonymous_ids: [[], ["a"]], external_id: [null, "1"] }),
          identified("v", { anonymous_ids: [[], ["b"]] }),
        ],
      }),
      change({
        users: [
          identified("u", { anonymous_ids: [["a"], ["a", "b"]], external_id: ["1", null] }),
          identified("v", { anonymous_ids: [["b"], []] }),
        ],
      }),
    ],
    [],
  );
  expect(user.get("u")?.identifiers).toEqual({ anonymous_ids: [[], ["a", "b"]] });
  expect(isNews(user.get("u")!)).toBe(true);
  expect(isNews(user.get("v")!)).toBe(false);
});

test("a user that entered a segment and left it again is where it was, and so is one that left and came back", () => {
  const move = (segmentId: string, entered: string[], left: string[]) => {
    return { segmentId, segmentName: segmentId, subjectType: "user" as const, entered, left };
  };
  const { user } = gatherNews(
    [],
    [move("s", ["u"], ["v"]), move("t", ["u"], []), move("s", ["v"], ["u"]), move("s", ["u"], [])],
  );
  expect(user.get("u")).toMatchObject({ entered: ["t", "s"], left: [] });
  expect(isNews(user.get("v")!)).toBe(false);
});

test("a first value of null is kept as the value before", () => {
  const { user } = gatherNews(
    [change({ users: [changed("u", { a: [null, 1] })] }), change({ users: [changed("u", { a: [1, 2] })] })],
    [],
  );
  expect(user.get("u")?.changes).toEqual({ a: [null, 2] });
});

test("platform events that are told as changes are not told as events too", () => {
  const names = ["attributes_changed", "Entered segment", "Left segment", "User merged"];
  const { user } = gatherNews(
    [change({ events: [...names.map((name) => event("u", name, MUSTER_SOURCE)), event("u", "attributes_changed")] })],
    [],
  );
  expect(user.get("u")?.events.map(({ event: name, event_source }) => [name, event_source])).toEqual([
    ["User merged", MUSTER_SOURCE],
    ["attributes_changed", ""],
  ]);
});

describe("a user that was merged into another", () => {
  const merges = [{ kind: "user" as const, survivor: "s", loser: "l", hasEvents: true }];
  test("is told as part of the survivor, which gets its events and segment moves", () => {
    const { user } = gatherNews(
      [
        change({ users: [changed("l", { a: [null, 1] }, true)], events: [event("l", "Looked")] }),
        change({ users: [changed("s", { a: [null, 1] })], merges }),
      ],
      [{ segmentId: "seg", segmentName: "S", subjectType: "user", entered: ["l"], left: [] }],
    );
    expect([...user.keys()].sort()).toEqual(["s"]);
    expect(user.get("s")).toMatchObject({ changes: { a: [null, 1] }, entered: ["seg"] });
    expect(user.get("s")?.events.map((each) => each.event)).toEqual(["Looked"]);
  });

  test("is told as part of the last survivor of several merges", () => {
    const chain = [...merges, { kind: "user" as const, survivor: "z", loser: "s", hasEvents: false }];
    const { user } = gatherNews([change({ events: [event("l", "Looked")], merges: chain })], []);
    expect([...user.keys()]).toEqual(["z"]);
  });
});

test("an erased user is told as deleted and nothing else", () => {
  const removed = [{ kind: "user" as const, id: "u", formerIds: [] }];
  const news = gatherNews([change({ users: [changed("u", { a: [null, 1] }, true)] }), change({ removed })], []);
  expect(news.user.size).toBe(0);
  expect(news.deleted).toEqual([{ kind: "user", id: "u" }]);
});

describe("quiet changes", () => {
  const quiet = change({
    users: [changed("q", { a: [null, 1] }, true)],
    events: [event("q", "Imported")],
    quiet: true,
  });
  const moves = [{ segmentId: "seg", segmentName: "S", subjectType: "user" as const, entered: ["q"], left: [] }];

  test("are not told, and neither are the segment moves that they caused", () => {
    expect(gatherNews([quiet], moves).user.size).toBe(0);
  });

  test("do not suppress other changes of the same user", () => {
    const other = change({ users: [changed("q", { b: [null, 2] })] });
    expect(gatherNews([quiet, other], moves).user.get("q")).toMatchObject({
      isNew: false,
      changes: { b: [null, 2] },
      events: [],
      entered: ["seg"],
    });
  });
});
