import type { SubjectType } from "@muster/protocol";
import {
  type Catalog,
  insertMemberships,
  type MembershipChange,
  type MembershipMatch,
  membershipChangesStatement,
  membershipStatement,
  type Question,
  type SegmentQuery,
} from "@muster/query";
import type { MembershipMove } from "../../domain/change-set.js";
import type { ClickHouse } from "../../engines/clickhouse.js";

export interface DiffOptions {
  entity: SubjectType;
  catalog: Catalog;
  now: Date;
  /** Only these entities; everybody when left out. */
  ids?: readonly string[];
  /** Only so many of those who move, in the order of their ids. */
  page?: { after: string | undefined; limit: number };
}

/** What must change for the stored memberships of these segments to be true. */
export async function diffMemberships(
  clickhouse: ClickHouse,
  organizationId: string,
  segments: readonly SegmentQuery[],
  options: DiffOptions,
): Promise<readonly MembershipChange[]> {
  const { sql, params } = membershipChangesStatement(segments, { org: organizationId, ...options });
  return clickhouse.rows<MembershipChange>(sql, params);
}

/** The ids of the questions that are to be answered with yes, by entity. */
export async function answerQuestions(
  clickhouse: ClickHouse,
  organizationId: string,
  questions: readonly Question[],
  options: DiffOptions,
): Promise<Map<string, ReadonlySet<string>>> {
  if (questions.length === 0) return new Map();
  const { sql, params } = membershipStatement(questions, { org: organizationId, ...options });
  const rows = await clickhouse.rows<MembershipMatch>(sql, params);
  return new Map(rows.map(({ id, segment_ids }) => [id, new Set(segment_ids)]));
}

/** Writes who entered and who left, under the sequence of the change that says so. */
export async function writeMemberships(
  clickhouse: ClickHouse,
  organizationId: string,
  moves: readonly MembershipMove[],
  at: Date,
  version: number,
): Promise<void> {
  const rows = moves.flatMap(({ segmentId, entered, left }) => [
    ...entered.map((entityId) => ({ org: organizationId, segmentId, entityId, enteredAt: at, version })),
    ...left.map((entityId) => ({ org: organizationId, segmentId, entityId, enteredAt: at, version, deleted: true })),
  ]);
  if (rows.length > 0) await clickhouse.command(insertMemberships(rows));
}

export interface Membership {
  segmentId: string;
  enteredAt: string;
}

/** The segments of the given entities. Naming the segments lets the engine find the few rows by their key. */
export async function membershipsOf(
  clickhouse: ClickHouse,
  organizationId: string,
  segmentIds: readonly string[],
  entityIds: readonly string[],
): Promise<Map<string, Membership[]>> {
  const found = new Map<string, Membership[]>(entityIds.map((id) => [id, []]));
  if (segmentIds.length === 0 || entityIds.length === 0) return found;
  const rows = await clickhouse.rows<{ entity_id: string; segment_id: string; entered_at: string }>(
    `select entity_id, segment_id, entered_at
     from memberships final
     where org = {org:String} and segment_id in {segments:Array(String)} and entity_id in {entities:Array(String)}
     order by segment_id`,
    { org: organizationId, segments: segmentIds, entities: entityIds },
  );
  for (const { entity_id, segment_id, entered_at } of rows) {
    found.get(entity_id)?.push({ segmentId: segment_id, enteredAt: entered_at });
  }
  return found;
}

/** How many are in each segment. */
export async function segmentSizes(
  clickhouse: ClickHouse,
  organizationId: string,
  segmentIds: readonly string[],
): Promise<Map<string, number>> {
  if (segmentIds.length === 0) return new Map();
  const rows = await clickhouse.rows<{ segment_id: string; size: number }>(
    `select segment_id, count() as size
     from memberships final
     where org = {org:String} and segment_id in {segments:Array(String)}
     group by segment_id`,
    { org: organizationId, segments: segmentIds },
  );
  return new Map(rows.map(({ segment_id, size }) => [segment_id, size]));
}

/** The members of a segment that does not exist any more, a page at a time. */
export async function membersOf(
  clickhouse: ClickHouse,
  organizationId: string,
  segmentId: string,
  limit: number,
): Promise<string[]> {
  const rows = await clickhouse.rows<{ entity_id: string }>(
    `select entity_id
     from memberships final
     where org = {org:String} and segment_id = {segment:String}
     order by entity_id
     limit {limit:UInt64}`,
    { org: organizationId, segment: segmentId, limit },
  );
  return rows.map(({ entity_id }) => entity_id);
}
