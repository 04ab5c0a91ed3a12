import type { ClickHouse } from "../../engines/clickhouse.js";

/** Members of a segment after an id, in the order of their ids. */
export async function segmentMembersAfter(
  clickhouse: ClickHouse,
  organizationId: string,
  segmentId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await clickhouse.rows<{ entity_id: string }>(
    `select entity_id
     from memberships final
     where org = {org:String} and segment_id = {segment:String} and entity_id > {after:String}
     order by entity_id
     limit {limit:UInt64}`,
    { org: organizationId, segment: segmentId, after, limit },
  );
  return rows.map(({ entity_id }) => entity_id);
}
