import { expect, test } from "vitest";
import { isFailed, showResult } from "./message-result.js";

const facts = { reported: false, status: 200, reason: "", body: "" };

test("a refusal by the service is told with its status and its own words", () => {
  const refused = {
    ...facts,
    result: "refused",
    reported: true,
    status: 400,
    reason: "No.",
    body: '{\n "error": 1 }',
  } as const;
  expect(showResult(refused)).toEqual({ status: "bad", word: "Refused by the service", detail: '400 { "error": 1 }' });
  expect(showResult({ ...refused, body: "" }).detail).toBe("No.");
  expect(showResult({ ...refused, body: "x".repeat(500) }).detail).toHaveLength(201);
  expect(showResult({ ...refused, reported: false }).word).toBe("Refused");
});

test("a message that was skipped is no failure", () => {
  expect(isFailed({ result: "skipped" })).toBe(false);
  expect(isFailed({ result: "unavailable" })).toBe(true);
});
