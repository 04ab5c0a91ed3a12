import type { TimelineItem } from "@muster/protocol/api/history";
import { expect, test } from "vitest";
import { sessionHead } from "./session-head.js";

function viewed(minute: number, url?: string): TimelineItem {
  return {
    id: String(minute),
    at: new Date(Date.UTC(2026, 4, 1, 12, minute)).toISOString(),
    kind: "event",
    event: "Viewed",
    source: "web",
    type: "track",
    user_id: "u",
    session_id: "s",
    anonymous_id: null,
    properties: {},
    context: url === undefined ? {} : { page: { url } },
  };
}
const comment: TimelineItem = {
  id: "c",
  at: "2026-05-01T12:01:00Z",
  kind: "comment",
  text: "x",
  user_id: null,
  author_name: null,
};

test("a visit is named by its events, how long it took, and its pages", () => {
  const shop = "https://shop.example";
  expect(sessionHead([viewed(8, `${shop}/pricing?a=1`), viewed(3, `${shop}/`), viewed(0, `${shop}/pricing`)])).toBe(
    "3 events in 8 minutes on /pricing and 1 other page",
  );
  expect(sessionHead([viewed(1, `${shop}/cart`), comment])).toBe("1 event on /cart");
  expect(sessionHead([viewed(2, "no address"), viewed(1)])).toBe("2 events in 1 minute");
});
