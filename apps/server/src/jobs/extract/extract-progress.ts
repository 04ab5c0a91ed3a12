import type { JobProgress } from "../../domain/jobs/job.js";
import type { Selection } from "../../storage/questions/asking.js";
import { QuestionTimeout } from "../../storage/questions/question-timeout.js";
import type { Questions } from "../../storage/questions/questions.js";

export function extractProgress(written: { rows: number; bytes: number }, total: number | null): JobProgress {
  return {
    processed: written.rows,
    total: total === null ? null : Math.max(total, written.rows),
    rejected: 0,
    processedBytes: written.bytes,
    totalBytes: null,
  };
}

/** Counts the rows, to show progress only. Null when counting takes longer than a question may. */
export async function countIfQuick(
  questions: Questions,
  organizationId: string,
  selection: Selection,
): Promise<number | null> {
  try {
    return await questions.count(organizationId, selection);
  } catch (error) {
    if (error instanceof QuestionTimeout) return null;
    throw error;
  }
}
