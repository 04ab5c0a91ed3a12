import type { TimelineItem } from "@muster/protocol/api/history";
import { expect, test } from "vitest";
import { groupByDay, mergeItems } from "./group-timeline.js";

const dayOf = (at: string) => at.slice(0, 10);
const at = (minute: number, day = 1) => new Date(Date.UTC(2026, 4, day, 12, minute)).toISOString();

function event(id: string, time: string, session: string | null = null): TimelineItem {
  return {
    id,
    at: time,
    kind: "event",
    event: "Viewed",
    source: "web",
    type: "track",
    user_id: "u",
    session_id: session,
    anonymous_id: null,
    properties: {},
    context: {},
  };
}
const comment = (id: string, time: string): TimelineItem => ({
  id,
  at: time,
  kind: "comment",
  text: "x",
  user_id: null,
  author_name: null,
});

test("items of pages and live items are in one list, each once, the latest first", () => {
  const merged = mergeItems([event("b", at(2)), event("a", at(1))], [event("c", at(3)), event("b", at(2))]);
  expect(merged.map(({ id }) => id)).toEqual(["c", "b", "a"]);
});

test("items are grouped by day", () => {
  const days = groupByDay([event("c", at(1, 3)), event("b", at(9, 2)), event("a", at(1, 2))], dayOf);
  expect(days.map(({ key, runs }) => [key, runs.flatMap(({ items }) => items.map(({ id }) => id))])).toEqual([
    ["2026-05-03", ["c"]],
    ["2026-05-02", ["b", "a"]],
  ]);
});

test("what happened between two events of a session belongs to it, and what happened after it does not", () => {
  const items = [
    comment("e", at(9)),
    event("d", at(4), "s"),
    comment("c", at(3)),
    event("b", at(2), "s"),
    event("a", at(1)),
  ];
  const [day] = groupByDay(items, dayOf);
  expect(day?.runs.map(({ session, items: of }) => [session, of.map(({ id }) => id)])).toEqual([
    [undefined, ["e"]],
    ["s", ["d", "c", "b"]],
    [undefined, ["a"]],
  ]);
});

test("sessions that overlap stay apart", () => {
  const items = [event("c", at(3), "s"), event("b", at(2), "t"), event("a", at(1), "s")];
  expect(groupByDay(items, dayOf)[0]?.runs.map(({ session }) => session)).toEqual(["s", "t", "s"]);
});
