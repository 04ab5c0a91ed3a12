import type { Query } from "../query.js";
import { QueryError } from "../query-error.js";
import { compileQuery } from "./compile-query.js";
import { EventCounters } from "./event-counters.js";
import { and, or, settled, TRUE } from "./logic.js";
import { membershipRows } from "./membership-rows.js";
import { type CompileOptions, ofOrganization, openScope, type Scope, tableOf } from "./scope.js";
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

export interface MembershipChangesOptions extends MembershipOptions {
  /** At most so many changed entities, in the order of their ids, after the one with this id. */
  readonly page?: { readonly after: string | undefined; readonly limit: number };
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

const BITS = 64;

/** Segments whose answers for an entity share one 64-bit number, a bit for each. */
interface Chunk {
  readonly ids: readonly string[];
  readonly conditions: readonly string[];
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
  const { chunks, refused } = chunksOf(segments, scope);
  const sql = `select id, ${segmentList(chunks, (index) => `fits_${index}`, scope)} as segment_ids\nfrom (${matches(chunks, scope)} and ${inAny(chunks)})`;
  return { sql, params: scope.params.values, refused };
}

/**
 * What must change for the stored memberships to be true: rows of `MembershipChange`, only where something does.
 * Entities that are gone leave their segments. Both sides are bits: comparing lists of ids took five times as long
 * for 1 M users with 6 M memberships.
 */
export function membershipChangesStatement(
  segments: readonly SegmentQuery[],
  options: MembershipChangesOptions,
): MembershipStatement {
  const scope = scopeOf(options);
  const { page } = options;
  const after = page?.after === undefined ? undefined : scope.params.add("FixedString(24)", page.after);
  const { chunks, refused } = chunksOf(segments, scope);
  const each = (express: (index: number) => string) => chunks.map((_, index) => express(index)).join(", ");
  // Leaving out who is in none saves grouping them, but has the engine plan every condition twice: 85 ms for 80 of them.
  const relevant = scope.ids === undefined ? ` and ${inAny(chunks)}` : "";
  const changed = or(chunks.map((_, index) => `after_${index} != before_${index}`));
  const sql = [
    `select id, ${segmentList(chunks, (index) => `bitAnd(after_${index}, bitNot(before_${index}))`, scope)} as entered,`,
    `${segmentList(chunks, (index) => `bitAnd(before_${index}, bitNot(after_${index}))`, scope)} as left`,
    "from (",
    `select id, ${each((index) => `groupBitOr(fits_${index}) as after_${index}, groupBitOr(stored_${index}) as before_${index}`)}`,
    "from (",
    `select id, ${each((index) => `fits_${index}, toUInt64(0) as stored_${index}`)} from (${matches(chunks, scope, after)}${relevant})`,
    "union all",
    stored(chunks, scope, after),
    `) group by id having ${changed})`,
    ...(page === undefined ? [] : [`order by id limit ${scope.params.add("UInt64", page.limit)}`]),
  ].join("\n");
  return { sql, params: scope.params.values, refused };
}

function scopeOf(options: MembershipOptions): Scope {
  const scope = openScope(options.entity, options);
  if (options.ids === undefined) return scope;
  return { ...scope, ids: scope.params.addList("FixedString(24)", options.ids), counters: new EventCounters() };
}

/** Rows `{id, fits_0, …}` of the entities. */
function matches(chunks: readonly Chunk[], scope: Scope, after?: string): string {
  const bits = chunks.map(({ conditions }, index) => `${bitsOf(conditions)} as fits_${index}`).join(", ");
  const touched = scope.ids === undefined ? "" : ` and id in ${scope.ids}`;
  const later = after === undefined ? "" : ` and id > ${after}`;
  const rows = `${tableOf(scope.entity)} final${scope.counters?.join(scope) ?? ""} where ${ofOrganization(scope)}`;
  return `select id, ${bits} from ${rows}${touched}${later}`;
}

function inAny(chunks: readonly Chunk[]): string {
  return or(chunks.map((_, index) => `fits_${index} != 0`));
}

/** Rows `{id, fits_0: 0, stored_0, …}` of the memberships as they are stored. */
function stored(chunks: readonly Chunk[], scope: Scope, after: string | undefined): string {
  const columns = chunks.map(({ ids }, index) => {
    const places = ids.map((_, place) => `toUInt64(${bit(place)})`).join(", ");
    const own = scope.params.addList("String", ids);
    const value =
      ids.length === 0 ? "toUInt64(0)" : `transform(toString(segment_id), ${own}, [${places}], toUInt64(0))`;
    return `toUInt64(0) as fits_${index}, ${value} as stored_${index}`;
  });
  const segmentIds = scope.params.addList(
    "FixedString(24)",
    chunks.flatMap(({ ids }) => ids),
  );
  const later = after === undefined ? TRUE : `entity_id > ${after}`;
  const rows = membershipRows(and([`segment_id in ${segmentIds}`, later]), scope);
  return `select entity_id as id, ${columns.join(", ")} from ${rows}`;
}

/** The ids of the segments whose bit is set. */
function segmentList(chunks: readonly Chunk[], bits: (index: number) => string, scope: Scope): string {
  const lists = chunks.map(({ ids }, index) => {
    const names = scope.params.addList("String", ids);
    return `arrayMap(x -> arrayElement(${names}, x + 1), bitPositionsToArray(${bits(index)}))`;
  });
  return lists.length === 1 ? `${lists[0]}` : `arrayConcat(${lists.join(", ")})`;
}

function bitsOf(conditions: readonly string[]): string {
  const bits = conditions.map((condition, place) => `toUInt64(${settled(condition)}) * ${bit(place)}`);
  return bits.length === 0 ? "toUInt64(0)" : `toUInt64(${bits.join(" + ")})`;
}

function bit(place: number): string {
  return String(2n ** BigInt(place));
}

function chunksOf(segments: readonly SegmentQuery[], scope: Scope) {
  const { compiled, refused } = compileAll(segments, scope);
  const chunks: Chunk[] = [];
  for (let start = 0; start === 0 || start < compiled.length; start += BITS) {
    const part = compiled.slice(start, start + BITS);
    chunks.push({ ids: part.map(({ id }) => id), conditions: part.map(({ condition }) => condition) });
  }
  return { chunks, refused };
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
