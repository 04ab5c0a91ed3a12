import type { SegmentRecord, SubjectType } from "@muster/protocol";
import { isObject } from "@muster/protocol";
import type { Context } from "../context/context.js";
import type { ExtractedRecord } from "../helpers/handle-extract.js";

/** Turns the records of an extract into messages of updates without changes. */
export function extractMessages(
  ctx: Context,
  subjectType: SubjectType,
  records: readonly ExtractedRecord[],
  segmentId: string | undefined,
): Record<string, unknown>[] {
  return records.map((record) =>
    subjectType === "user" ? userMessage(ctx, record, segmentId) : accountMessage(ctx, record, segmentId),
  );
}

const NO_SEGMENTS = { entered: [], left: [] };

function userMessage(ctx: Context, record: ExtractedRecord, segmentId: string | undefined): Record<string, unknown> {
  const { segment_ids: ids, account, ...user } = record;
  const owner = isObject(account) ? account : {};
  const segments = segmentsOf(ctx.segments, ids, segmentId);
  const accountSegments = segmentsOf(ctx.accountsSegments, owner.segment_ids);
  return {
    message_id: `extract:${record.id}`,
    user,
    account: owner,
    segments,
    segment_ids: segments.map(({ id }) => id),
    account_segments: accountSegments,
    account_segment_ids: accountSegments.map(({ id }) => id),
    events: [],
    changes: { is_new: false, user: {}, account: {}, segments: NO_SEGMENTS, account_segments: NO_SEGMENTS },
  };
}

function accountMessage(ctx: Context, record: ExtractedRecord, segmentId: string | undefined): Record<string, unknown> {
  const { segment_ids: ids, ...account } = record;
  const segments = segmentsOf(ctx.accountsSegments, ids, segmentId);
  return {
    message_id: `extract:${record.id}`,
    account,
    account_segments: segments,
    account_segment_ids: segments.map(({ id }) => id),
    changes: { is_new: false, account: {}, account_segments: NO_SEGMENTS },
  };
}

/** The segments that a record names, and the extracted segment: a CSV file need not hold the segments of its records. */
function segmentsOf(all: readonly SegmentRecord[], ids: unknown, extracted?: string): SegmentRecord[] {
  const wanted = new Set([...(Array.isArray(ids) ? ids : []), extracted]);
  return all.filter(({ id }) => wanted.has(id));
}
