import type { Memberships, SubjectMoves } from "../memberships.js";
import { compileOptions } from "./ask/compile-options.js";
import { membershipChangesStatement, membershipStatement } from "./ask/membership-statements.js";
import { readMemberships } from "./ask/read-memberships.js";
import type { Statements } from "./client/statements.js";

export function clickhouseMemberships(statements: Statements): Memberships {
  return {
    membershipsOf: (organizationId, ids) => readMemberships(statements, organizationId, ids),

    async segmentSizes(organizationId, segmentIds) {
      if (segmentIds.length === 0) return new Map();
      const rows = await statements.rows<{ segment_id: string; size: number }>(
        `select segment_id, count() as size
         from memberships final
         where org = {org:FixedString(24)} and segment_id in {segments:Array(FixedString(24))}
         group by segment_id`,
        { org: organizationId, segments: segmentIds },
      );
      return new Map(rows.map(({ segment_id, size }) => [segment_id, size]));
    },

    async membersAfter(organizationId, segmentId, after, limit) {
      const rows = await statements.rows<{ entity_id: string }>(
        `select entity_id
         from memberships final
         where org = {org:FixedString(24)} and segment_id = {segment:FixedString(24)} and entity_id > {after:String}
         order by entity_id
         limit {limit:UInt64}`,
        { org: organizationId, segment: segmentId, after, limit },
      );
      return rows.map(({ entity_id }) => entity_id);
    },

    async changesOf(organizationId, segments, ids, reading) {
      if (ids.length === 0) return [];
      const statement = membershipChangesStatement(segments, { ids }, compileOptions(organizationId, reading));
      return statement ? statements.ask<SubjectMoves>(statement) : [];
    },

    async changesOfSegments(organizationId, segments, audience, reading) {
      const statement = membershipChangesStatement(segments, audience, compileOptions(organizationId, reading));
      return statement ? statements.ask<SubjectMoves>(statement) : [];
    },

    async answer(organizationId, questions, ids, reading) {
      if (ids.length === 0) return new Map();
      const statement = membershipStatement(questions, ids, compileOptions(organizationId, reading));
      const rows = statement ? await statements.ask<{ id: string; segment_ids: string[] }>(statement) : [];
      return new Map(rows.map(({ id, segment_ids }) => [id, new Set(segment_ids)]));
    },
  };
}
