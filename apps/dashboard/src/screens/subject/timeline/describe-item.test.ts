import type { TimelineItem } from "@muster/protocol/api/history";
import { expect, test } from "vitest";
import { describeItem } from "./describe-item.js";

const base = { id: "1", at: "2026-05-01T12:00:00Z" };
const shop = { connector_id: "c", connector_name: "Shop", job_id: null };

const delivery: TimelineItem = {
  ...base,
  kind: "delivery",
  connector_id: "c",
  connector_name: "Shop",
  channel: "user:update",
  result: "delivered",
  status: 200,
  duration_ms: 5,
  reason: "",
  reported: false,
  body: "",
  notification_id: "n",
  message_id: "m",
};

test("each kind of item has a sentence", () => {
  const change: TimelineItem = {
    ...base,
    kind: "change",
    changes: [
      { name: "plan", from: "free", to: "pro", written_by: shop },
      { name: "size", from: null, to: 3, written_by: shop },
    ],
  };
  expect(describeItem(change)).toEqual({ title: "plan: free → pro and 1 more change", details: "by Shop" });
  const labelOf = (name: string) => (name === "plan" ? "Subscription" : name);
  expect(describeItem(change, labelOf).title).toBe("Subscription: free → pro and 1 more change");
  const moved: TimelineItem = { ...base, kind: "segment", segment_id: "s", segment_name: "Pro users", entered: false };
  expect(describeItem(moved).title).toBe("Left Pro users");
  expect(describeItem(delivery)).toMatchObject({ title: "Delivered to Shop", details: "A user changed", isBad: false });
  expect(describeItem({ ...delivery, result: "refused", reason: "Status 422." })).toMatchObject({
    title: "Refused by Shop",
    details: "Status 422.",
    isBad: true,
  });
  const refused = {
    ...delivery,
    result: "refused",
    reported: true,
    status: 400,
    body: '{"error":"No list."}',
  } as const;
  expect(describeItem(refused)).toEqual({
    title: "Refused by the service of Shop",
    details: '400 {"error":"No list."}',
    isBad: true,
  });
  expect(describeItem({ ...delivery, result: "skipped", reason: "No email." })).toMatchObject({
    title: "Skipped by Shop",
    details: "No email.",
    isBad: false,
  });
});

test("a merge says which identifier brought both together, when that is known", () => {
  const merge: TimelineItem = {
    ...base,
    kind: "merge",
    merged_id: "u2",
    merged_identifiers: { anonymous_id: ["cookie-1"] },
    cause: { identifier: "anonymous_id", value: "cookie-1", recorded_at: null, written_by: shop },
  };
  expect(describeItem(merge)).toEqual({
    title: "Merged with cookie-1",
    details: "a record named the anonymous id cookie-1",
  });
  expect(describeItem({ ...merge, cause: null, merged_identifiers: {} })).toEqual({
    title: "Merged with u2",
    details: "",
  });
});
