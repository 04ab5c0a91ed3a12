import type { Job } from "@muster/protocol/api/jobs";
import { expect, test } from "vitest";
import { canceledSentence, importSentence, paceOf, progressWords, rewriteSentence } from "./job-words.js";

const JOB: Job = {
  id: "1",
  type: "import",
  object: "users",
  status: "running",
  name: "people.csv",
  description: "",
  progress: { processed: 0, total: null, rejected: 0, processed_bytes: 0, total_bytes: null },
  result: null,
  error: null,
  scheduled_at: "2024-05-12T10:00:00Z",
  created_at: "2024-05-12T10:00:00Z",
  started_at: "2024-05-12T10:00:00Z",
  finished_at: null,
};
const TEN_SECONDS_LATER = Date.parse("2024-05-12T10:00:10Z");

test("a dry run says what would happen", () => {
  const result = { records: 1_295, new: 1_204, updated: 88, refused: 3 };
  expect(importSentence({ ...JOB, dry_run: true, result })).toBe("1,204 new users, 88 updated, 3 refused.");
  expect(importSentence({ ...JOB, dry_run: true, result: { new: 1, updated: 0, refused: 0 } })).toBe(
    "1 new user, 0 updated, none refused.",
  );
  expect(importSentence({ ...JOB, object: "events", result: { records: 5, refused: 2 } })).toBe("3 events, 2 refused.");
});

test("a change of everybody says what became of the values or the events", () => {
  const converted = { object: "users", name: "seats: string to numeric" } as const;
  expect(rewriteSentence({ ...converted, result: { changed: 3, lost: 1 } })).toBe(
    "seats: 2 values of users converted, 1 value could not be and is gone.",
  );
  expect(rewriteSentence({ ...converted, result: { changed: 1_204, lost: 0 } })).toBe(
    "seats: 1,204 values of users converted.",
  );
  expect(rewriteSentence({ object: "accounts", name: "plan deleted", result: { changed: 1_204 } })).toBe(
    "plan: 1,204 values of accounts deleted.",
  );
  expect(rewriteSentence({ object: "events", name: "Buy into Purchase", result: { changed: 1 } })).toBe(
    "Buy into Purchase: 1 event renamed.",
  );
  const oddName = "a: string to date deleted";
  expect(rewriteSentence({ object: "users", name: oddName, result: { changed: 1 } })).toBe(
    "a: string to date: 1 value of users deleted.",
  );
});

test("a job that was canceled says what it has done until then", () => {
  const canceled = { ...JOB, status: "canceled" as const, progress: { ...JOB.progress, processed: 12 } };
  expect(canceledSentence(canceled)).toBe("Canceled after 12 rows. What was imported so far stays.");
  expect(canceledSentence({ ...canceled, dry_run: true })).toBe("Canceled. Nothing was changed.");
  expect(canceledSentence({ ...canceled, type: "export" })).toBe(
    "Canceled after 12 users. What was handed over so far stays there.",
  );
  expect(canceledSentence({ ...canceled, type: "extract" })).toBe("Canceled. No file was written.");
  expect(canceledSentence({ ...canceled, type: "revert" })).toBe("Canceled. What was undone so far stays undone.");
  expect(canceledSentence({ ...canceled, type: "revert", dry_run: true })).toBe("Canceled. Nothing was changed.");
});

test("progress has a pace and the time that is left, from bytes when the rows are not counted yet", () => {
  const progress = { processed: 20_000, total: null, rejected: 0, processed_bytes: 250, total_bytes: 1_000 };
  expect(paceOf({ ...JOB, progress }, TEN_SECONDS_LATER)).toEqual({ share: 0.25, perSecond: 2_000, leftMs: 30_000 });
  expect(progressWords({ ...JOB, progress }, TEN_SECONDS_LATER)).toBe("20,000 rows · 2,000 a second · 30 s left");
  expect(progressWords({ ...JOB, status: "scheduled" }, TEN_SECONDS_LATER)).toBe("waits for its turn");
  const later = { ...JOB, status: "scheduled" as const, scheduled_at: "2100-01-01T00:00:00Z" };
  expect(progressWords(later, TEN_SECONDS_LATER)).toMatch(/^begins at .*(2099|2100)/);
});
