import { expect, test } from "vitest";
import type { CallOutcome } from "./delivery.js";
import { messageResults } from "./message-result.js";
import { readReportedResults } from "./reported-results.js";

const MESSAGES = ["m1", "m2", "m3"].map((message_id) => ({ message_id }));
const IDS = new Set(MESSAGES.map(({ message_id }) => message_id));
const ANSWER = { status: 200, body: "{}" };
const DELIVERED: CallOutcome = { kind: "delivered", flow: undefined };

const read = (results: unknown) =>
  readReportedResults({ results }, IDS, (text) => text.replaceAll("s3cret", "[private]"));
const resultsAfter = (outcome: CallOutcome, results: unknown) =>
  messageResults(MESSAGES, outcome, ANSWER, read(results));

test("an answer without usable reports stands for all messages", () => {
  for (const results of [undefined, [], "accepted", [{ message_id: "other", result: "refused" }]]) {
    const found = resultsAfter(DELIVERED, results);
    expect(found.map(({ kind, isReported }) => [kind, isReported])).toEqual(MESSAGES.map(() => ["delivered", false]));
  }
});

test("each message has its own result, and one that is left out is not reported", () => {
  const found = resultsAfter(DELIVERED, [
    { message_id: "m1", result: "refused", status: 400, body: "no such list" },
    { message_id: "m3", result: "skipped", reason: "No email." },
  ]);
  expect(found).toEqual([
    {
      kind: "refused",
      answer: { status: 400, body: "no such list" },
      reason: "The service refused it with status 400.",
      isReported: true,
    },
    { kind: "unreported", answer: ANSWER, reason: expect.stringContaining("said nothing"), isReported: false },
    { kind: "skipped", answer: ANSWER, reason: "No email.", isReported: true },
  ]);
});

test("the messages of a failed call stay in the queue, and reports only say why", () => {
  const found = resultsAfter({ kind: "unavailable", reason: "It answered with status 503.", flow: undefined }, [
    { message_id: "m1", result: "accepted" },
    { message_id: "m2", result: "retried", status: 503, body: "busy" },
  ]);
  expect(found.map(({ kind, reason, answer }) => [kind, reason, answer?.body])).toEqual([
    ["unavailable", "It answered with status 503.", "{}"],
    ["unavailable", "The service answered with status 503.", "busy"],
    ["unavailable", "It answered with status 503.", "{}"],
  ]);
});

test("what cannot be used is ignored and counted, and the last report about a message counts", () => {
  const found = read([
    null,
    { message_id: 1, result: "accepted" },
    { message_id: "m1", result: "eaten" },
    { message_id: "other", result: "accepted" },
    { message_id: "m1", result: "refused", status: "no" },
    { message_id: "m1", result: "accepted", status: 70_000 },
  ]);
  expect([...(found?.byId.values() ?? [])]).toEqual([{ message_id: "m1", result: "accepted" }]);
  expect(found?.unusable).toBe(4);
});

test("texts are cut between characters, and hold neither secrets nor NUL", () => {
  const found = read([
    { message_id: "m1", result: "refused", body: `s3cret\0${"€".repeat(2_000)}`, reason: "x".repeat(900) },
    { message_id: "m2", result: "refused", body: { error: "as JSON" } },
  ]);
  const { body = "", reason = "" } = found?.byId.get("m1") ?? {};
  expect(body).toMatch(/^\[private\]\ufffd€+$/);
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(2_048);
  expect(reason).toHaveLength(500);
  expect(found?.byId.get("m2")?.body).toBe('{"error":"as JSON"}');
});
