import type { Job } from "@muster/protocol/api/jobs";
import { expect, test } from "vitest";
import { importSentence, paceOf, progressWords } from "./job-words.js";

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

test("progress has a pace and the time that is left, from bytes when the rows are not counted yet", () => {
  const progress = { processed: 20_000, total: null, rejected: 0, processed_bytes: 250, total_bytes: 1_000 };
  expect(paceOf({ ...JOB, progress }, TEN_SECONDS_LATER)).toEqual({ share: 0.25, perSecond: 2_000, leftMs: 30_000 });
  expect(progressWords({ ...JOB, progress }, TEN_SECONDS_LATER)).toBe("20,000 rows · 2,000 a second · 30 s left");
  expect(progressWords({ ...JOB, status: "scheduled" }, TEN_SECONDS_LATER)).toBe("waits for its turn");
  const later = { ...JOB, status: "scheduled" as const, scheduled_at: "2100-01-01T00:00:00Z" };
  expect(progressWords(later, TEN_SECONDS_LATER)).toMatch(/^begins at .*(2099|2100)/);
});
