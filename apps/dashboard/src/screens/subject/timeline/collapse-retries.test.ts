import type { TimelineItem } from "@muster/protocol/api/history";
import { expect, test } from "vitest";
import { collapseRetries } from "./collapse-retries.js";

const sent = (id: string, message_id: string, connector_id = "crm"): TimelineItem => ({
  id,
  at: "2026-05-01T12:00:00Z",
  kind: "delivery",
  connector_id,
  connector_name: "CRM",
  channel: "user:update",
  result: "unavailable",
  status: 503,
  duration_ms: 1,
  reason: "",
  reported: false,
  body: "",
  notification_id: id,
  message_id,
});

test("of a message that was sent again the last try stays, and says how many there were", () => {
  const { items, tries } = collapseRetries([sent("4", "b"), sent("3", "a"), sent("2", "a"), sent("1", "a")]);
  expect(items.map(({ id }) => id)).toEqual(["4", "3"]);
  expect([...tries]).toEqual([["3", 3]]);
});

test("the same message to two connectors is two deliveries", () => {
  const { items, tries } = collapseRetries([sent("2", "a", "crm"), sent("1", "a", "mail")]);
  expect(items).toHaveLength(2);
  expect(tries.size).toBe(0);
});
