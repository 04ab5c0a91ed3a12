import { DAY_MS } from "@muster/protocol";
import type { Transaction } from "../database.js";
import type { CleanedPage } from "./rewrite-logs.js";

/** Deletes the rejected lines of imports whose message matches one of the patterns. */
export async function dropRejectedLines(
  tx: Transaction,
  organizationId: string,
  patterns: readonly string[],
): Promise<CleanedPage> {
  const { rowCount } = await tx.query(
    "delete from job_rejections where organization_id = $1 and lower(message) ~ any($2::text[])",
    [organizationId, patterns],
  );
  return { end: undefined, removed: rowCount ?? 0 };
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
  const { rowCount } = await tx.query(
    `delete from connector_logs
     where organization_id = $1 and written_at >= $2 and written_at < $3
       and lower(concat_ws(' ', message, data::text, summary)) ~ any($4::text[])`,
    [organizationId, new Date(day * DAY_MS), new Date((day + 1) * DAY_MS), patterns],
  );
  return { end: day, removed: rowCount ?? 0 };
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
  const { rows } = await tx.query<{ digest: Buffer; answer: string }>(
    "select digest, answer from ingest_receipts where organization_id = $1 and lower(answer) ~ any($2::text[])",
    [organizationId, patterns],
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
  return { end: undefined, removed: rows.length };
}
