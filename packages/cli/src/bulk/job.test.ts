import type { Job } from "@muster/protocol/api/jobs";
import { expect, test } from "vitest";
import { describeProgress } from "./job.js";

function job(status: Job["status"], progress: Partial<Job["progress"]> = {}): Job {
  const none = { processed: 0, total: null, rejected: 0, processed_bytes: 0, total_bytes: null };
  return {
    id: "1",
    type: "import",
    object: "users",
    status,
    name: "file",
    description: "",
    scheduled_at: "2030-01-01T00:00:00.000Z",
    created_at: "2030-01-01T00:00:00.000Z",
    started_at: null,
    finished_at: null,
    progress: { ...none, ...progress },
    result: null,
    error: null,
  };
}

test("a job that waits says so", () => {
  expect(describeProgress(job("scheduled"))).toBe("import of users is waiting");
});

test("an import shows how much of its file is read, until the number of records is known", () => {
  const text = describeProgress(
    job("running", { processed: 1_500, rejected: 2, processed_bytes: 50, total_bytes: 200 }),
  );
  expect(text).toBe(`importing users  ${"█".repeat(8)}${"░".repeat(22)}  25 %  1,500  2 rejected`);
});

test("a job that knows its number of records shows how many are done", () => {
  expect(describeProgress(job("running", { processed: 30, total: 30 }))).toBe(
    `importing users  ${"█".repeat(30)}  100 %  30`,
  );
});

test("a job that knows nothing yet shows no bar", () => {
  expect(describeProgress(job("running"))).toBe("importing users  0");
});
