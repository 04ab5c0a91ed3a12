import type { SegmentRecord, UserUpdateMessage } from "@muster/protocol";
import { expect, test } from "vitest";
import { Sink } from "./sink.js";

const SEGMENT: SegmentRecord = { id: "s", name: "", type: "users_segment", query: {}, created_at: "", updated_at: "" };

function message(id: string, n: number, move?: "entered" | "left"): UserUpdateMessage {
  const segments = { entered: move === "entered" ? [SEGMENT] : [], left: move === "left" ? [SEGMENT] : [] };
  return {
    message_id: id,
    user: { id: "u", external_id: "ann", traits_n: n },
    account: {},
    segments: [],
    segment_ids: [],
    account_segments: [],
    account_segment_ids: [],
    events: [],
    changes: { is_new: false, user: {}, account: {}, segments, account_segments: { entered: [], left: [] } },
    matchesFilter: true,
  };
}

test("messages in order, and messages that come again, are right", () => {
  const sink = new Sink();
  for (const [id, n] of [
    ["a", 1],
    ["b", 2],
    ["a", 1],
    ["b", 2],
    ["c", 2],
  ] as const)
    sink.take(message(id, n));
  expect(sink.disordered).toEqual([]);
  expect(sink.repeated).toBe(2);
  expect(sink.users.get("ann")).toMatchObject({ n: 2 });
});

test("a new message with a smaller number is out of order", () => {
  const sink = new Sink();
  sink.take(message("a", 2));
  sink.take(message("b", 1));
  expect(sink.disordered).toEqual(["ann: n was 2 (message a), then 1 (message b)"]);
});

test("a user who enters twice without leaving moved falsely", () => {
  const sink = new Sink();
  sink.take(message("a", 1, "entered"));
  sink.take(message("a", 1, "entered"));
  expect(sink.falseMoves).toEqual([]);
  sink.take(message("b", 2, "entered"));
  expect(sink.falseMoves).toHaveLength(1);
  sink.take(message("c", 3, "left"));
  expect(sink.users.get("ann")?.moves.get("s")).toEqual({ isMember: false, entered: 2, left: 1 });
});
