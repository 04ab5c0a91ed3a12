import { Refusal } from "@muster/protocol";

/** Larger answers hold the process up while they are serialised, and few clients can read them. */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** Refuses an answer that is too large. Only when the rows are large are the documents measured. */
export function requireBounded(rows: readonly { bytes: number }[], documents: readonly object[]): void {
  if (rows.reduce((sum, { bytes }) => sum + bytes, 0) <= MAX_ANSWER_BYTES) return;
  let bytes = 0;
  for (const document of documents) {
    bytes += JSON.stringify(document).length;
    if (bytes <= MAX_ANSWER_BYTES) continue;
    throw new Refusal(
      "invalid_parameter",
      `The answer would have more than ${MAX_ANSWER_BYTES} bytes. Ask for fewer rows (per_page), or for some fields (include).`,
    );
  }
}
