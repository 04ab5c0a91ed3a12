import type { Delivery } from "@muster/protocol/api/deliveries";
import { expect, test } from "vitest";
import { deliverySentence, ratePerMinute } from "./delivery-sentence.js";

const NOW = Date.parse("2026-05-01T12:00:00Z");
const IDLE: Delivery = {
  connector_id: "c",
  queued_messages: 0,
  lag_ms: 0,
  circuit: "closed",
  next_call_at: null,
  pause_reason: null,
  batch_size: 100,
  failures: 0,
  last_error: null,
  sent_messages: 0,
  failed_calls: 0,
  dead_messages: 0,
  dead_letters: 0,
  last_sent_at: null,
  last_failed_at: null,
};

test("a connector without a queue is well", () => {
  expect(deliverySentence(IDLE, NOW)).toEqual({ status: "good", text: "Nothing waits." });
});

test("a long queue says how old its oldest message is", () => {
  const queue = { ...IDLE, queued_messages: 12, lag_ms: 90_000 };
  expect(deliverySentence(queue, NOW)).toEqual({
    status: "late",
    text: "12 messages wait. The oldest is 1.5 min old.",
  });
});

test("a pause says how long it is and who asked for it", () => {
  const paused = {
    ...IDLE,
    queued_messages: 1,
    lag_ms: 2_000,
    next_call_at: new Date(NOW + 29_400).toISOString(),
    pause_reason: "The connector asked for a pause before the next call.",
  };
  expect(deliverySentence(paused, NOW)).toEqual({
    status: "late",
    text: "1 message waits. The oldest is 2 s old. The next call is in 30 s, because the connector asked for a pause before the next call.",
  });
  expect(deliverySentence({ ...paused, failures: 3, pause_reason: "The last 3 calls failed." }, NOW).status).toBe(
    "bad",
  );
});

test("the rate leaves out the minute that is not over", () => {
  const points = [0, 10, 20, 30, 40, 50, 1].map((delivered) => ({ delivered }));
  expect(ratePerMinute(points)).toBe(30);
  expect(ratePerMinute([])).toBe(0);
});
