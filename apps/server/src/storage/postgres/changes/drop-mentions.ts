import { DAY_MS } from "@muster/protocol";
import type { CleanedPage } from "../../logs/cleaned-page.js";
import type { Transaction } from "../database.js";

/** Deletes the rejected lines of imports whose message matches one of the patterns. */
export async function dropRejectedLines(
  tx: Transaction,
  organizationId: string,
  patterns: readonly string[],
): Promise<CleanedPage> {
  const removed = await deleteMatching(
    tx,
    "delete from job_rejections where organization_id = $1 and lower(message) ~ $2",
    [organizationId],
    patterns,
  );
  return { end: undefined, removed };
}

/**
 * Deletes what connectors logged on one day, where it matches one of the patterns. `after` is the last day that is done,
 * counted from 1970, or 0.
 */
export async function dropLogLines(
  tx: Transaction,
  organizationId: string,
  after: number,
  patterns: readonly string[],
  since: Date,
): Promise<CleanedPage> {
  const day = after === 0 ? await firstDay(tx, since) : after + 1;
  if (day > Math.floor(Date.now() / DAY_MS) + 1) return { end: undefined, removed: 0 };
  const removed = await deleteMatching(
    tx,
    `delete from connector_logs
     where organization_id = $1 and written_at >= $2 and written_at < $3
       and lower(concat_ws(' ', message, data::text, summary)) ~ $4`,
    [organizationId, new Date(day * DAY_MS), new Date((day + 1) * DAY_MS)],
    patterns,
  );
  return { end: day, removed };
}

/** Deletes kept messages and causes of failed calls that match one of the patterns. Returns how many messages there were. */
export async function dropKeptMessages(
  tx: Transaction,
  organizationId: string,
  patterns: readonly string[],
): Promise<number> {
  await deleteMatching(
    tx,
    "delete from delivery_causes where organization_id = $1 and lower(cause) ~ $2",
    [organizationId],
    patterns,
  );
  return deleteMatching(
    tx,
    `delete from kept_messages
     where organization_id = $1 and lower(concat_ws(' ', message_id, request, answer)) ~ $2`,
    [organizationId],
    patterns,
  );
}

/**
 * Runs `sql` for each pattern, which is the last parameter. Returns how many rows were deleted. Each pattern is a statement of
 * its own: PostgreSQL keeps 32 compiled patterns, and a statement with more of them would compile each again for every row.
 */
async function deleteMatching(
  tx: Transaction,
  sql: string,
  parameters: readonly unknown[],
  patterns: readonly string[],
): Promise<number> {
  let removed = 0;
  for (const pattern of patterns) removed += (await tx.query(sql, [...parameters, pattern])).rowCount ?? 0;
  return removed;
}

/** The first day that has log lines, or the day before `since`, whichever is later. */
async function firstDay(tx: Transaction, since: Date): Promise<number> {
  const { rows } = await tx.query<{ at: Date | null }>("select min(written_at) as at from connector_logs");
  return Math.floor(Math.max(rows[0]?.at?.getTime() ?? Date.now(), since.getTime() - DAY_MS) / DAY_MS);
}

/**
 * Takes the verdicts that name an erased subject out of the answers to batches. The answers themselves stay, because a
 * batch that is sent again must be recognized.
 */
export async function dropVerdicts(
  tx: Transaction,
  organizationId: string,
  patterns: readonly string[],
): Promise<CleanedPage> {
  let removed = 0;
  for (const pattern of patterns) {
    const { rows } = await tx.query<{ digest: Buffer; answer: string }>(
      "select digest, answer from ingest_receipts where organization_id = $1 and lower(answer) ~ $2",
      [organizationId, pattern],
    );
    for (const { digest, answer } of rows) {
      // The intake stores this shape, or an empty text, which matches no pattern.
      const { accepted } = JSON.parse(answer) as { accepted: number };
      await tx.query("update ingest_receipts set answer = $3 where organization_id = $1 and digest = $2", [
        organizationId,
        digest,
        JSON.stringify({ accepted, rejected: [] }),
      ]);
    }
    removed += rows.length;
  }
  return { end: undefined, removed };
}
