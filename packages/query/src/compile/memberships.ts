import type { Query } from "../query.js";
import { QueryError } from "../query-error.js";
import { compileQuery } from "./compile-query.js";
import { settled } from "./logic.js";
import { type CompileOptions, ofOrganization, openScope, rowsOf, type Scope } from "./scope.js";
import type { Statement } from "./statement.js";

export interface SegmentQuery {
  readonly id: string;
  readonly query: Query;
}

export interface MembershipOptions extends CompileOptions {
  readonly entity: "user" | "account";
  /** Only these entities; everybody when left out. */
  readonly ids?: readonly string[];
}

export interface MembershipStatement extends Statement {
  /** Segments whose query does not fit the types its fields have got since; the statement leaves them as they are. */
  readonly refused: readonly { readonly id: string; readonly error: QueryError }[];
}

/** An entity and the segments it is in now. */
export interface MembershipMatch {
  readonly id: string;
  readonly segment_ids: readonly string[];
}

/** An entity and the segments it enters and leaves. */
export interface MembershipChange {
  readonly id: string;
  readonly entered: readonly string[];
  readonly left: readonly string[];
}

/**
 * Which of the segments each entity is in now, in one scan for all of them: rows of `MembershipMatch`, without those
 * that are in none.
 */
export function membershipStatement(
  segments: readonly SegmentQuery[],
  options: MembershipOptions,
): MembershipStatement {
  const scope = scopeOf(options);
  const { matches, refused } = matching(segments, scope);
  return { sql: matches, params: scope.params.values, refused };
}

/**
 * What must change for the stored memberships to be true: rows of `MembershipChange`, only where something does.
 * Entities that are gone leave their segments.
 */
export function membershipChangesStatement(
  segments: readonly SegmentQuery[],
  options: MembershipOptions,
): MembershipStatement {
  const scope = scopeOf(options);
  const { matches, segmentIds, refused } = matching(segments, scope);
  const touched = scope.ids === undefined ? "" : ` and entity_id in ${scope.ids}`;
  const stored = `${ofOrganization(scope)} and segment_id in ${scope.params.addList("FixedString(24)", segmentIds)}${touched}`;
  const sql = [
    "select id, arrayFilter(x -> not has(before, x), after) as entered, arrayFilter(x -> not has(after, x), before) as left",
    "from (",
    "select id, groupArrayArray(segment_ids) as after, groupArrayArray(stored_ids) as before",
    "from (",
    `select id, segment_ids, emptyArrayString() as stored_ids from (${matches})`,
    "union all",
    `select entity_id as id, emptyArrayString() as segment_ids, [toString(segment_id)] as stored_ids from memberships final where ${stored}`,
    ") group by id",
    ") where notEmpty(entered) or notEmpty(left)",
  ].join("\n");
  return { sql, params: scope.params.values, refused };
}

function scopeOf(options: MembershipOptions): Scope {
  const scope = openScope(options.entity, options);
  return options.ids === undefined ? scope : { ...scope, ids: scope.params.addList("FixedString(24)", options.ids) };
}

function matching(segments: readonly SegmentQuery[], scope: Scope) {
  const { compiled, refused } = compileAll(segments, scope);
  const segmentIds = compiled.map(({ id }) => id);
  const conditions = compiled.map(({ condition }) => `toUInt8(${settled(condition)})`);
  // A typed empty array: without segments the engine could not tell what the conditions are.
  const held = conditions.length === 0 ? "emptyArrayUInt8()" : `[${conditions.join(", ")}]`;
  const touched = scope.ids === undefined ? "" : ` and id in ${scope.ids}`;
  const fitting = `arrayFilter((segment, fits) -> fits, ${scope.params.addList("String", segmentIds)}, ${held})`;
  const matches = `select id, ${fitting} as segment_ids from ${rowsOf(scope.entity, scope)}${touched} and notEmpty(segment_ids)`;
  return { matches, segmentIds, refused };
}

/** One segment that cannot be asked any more must not keep the others from being true. */
function compileAll(segments: readonly SegmentQuery[], scope: Scope) {
  const compiled: { id: string; condition: string }[] = [];
  const refused: { id: string; error: QueryError }[] = [];
  for (const { id, query } of segments) {
    try {
      compiled.push({ id, condition: compileQuery(query, scope) });
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      refused.push({ id, error });
    }
  }
  return { compiled, refused };
}
