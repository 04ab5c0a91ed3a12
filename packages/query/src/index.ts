// The public surface, by name.

export type { Aggregation, BucketAggregation, MetricAggregation, NamedAggregation } from "./aggregation.js";
export { type AggregationRow, type CompiledAggregation, compileAggregations } from "./compile/aggregations.js";
export { type ExplainedClause, type ExplainRow, type ExplainStatement, explainStatement } from "./compile/explain.js";
export {
  type MembershipChange,
  type MembershipChangesOptions,
  type MembershipMatch,
  type MembershipOptions,
  type MembershipStatement,
  membershipChangesStatement,
  membershipStatement,
  type SegmentQuery,
} from "./compile/memberships.js";
export type { CompileOptions } from "./compile/scope.js";
export {
  countStatement,
  type Page,
  type SearchOptions,
  type SearchRow,
  type StreamOptions,
  searchStatement,
  streamStatement,
} from "./compile/search.js";
export type { QueryParams, Statement } from "./compile/statement.js";
export {
  type Catalog,
  type Entity,
  type FieldDefinition,
  type FieldType,
  resolveField,
  STANDARD_FIELDS,
} from "./entity.js";
export { type Question, type ReportTest, type ReportTestOptions, reportTest } from "./evaluate/report-test.js";
export { LIMITS } from "./limits.js";
export { type ParseOptions, parse } from "./parse/parse.js";
export { parseAggregations } from "./parse/parse-aggregations.js";
export { parseSort } from "./parse/parse-sort.js";
export {
  EVENT_OPERATORS,
  type EventOperator,
  type EventPredicate,
  type GroupPredicate,
  PROPERTY_OPERATORS,
  type Predicate,
  type PropertyOperator,
  type PropertyPredicate,
} from "./predicate/predicate.js";
export { type PredicateOptions, predicateToQuery } from "./predicate/predicate-to-query.js";
export { queryToPredicate, type ToPredicateOptions } from "./predicate/query-to-predicate.js";
export type { Query } from "./query.js";
export { QueryError } from "./query-error.js";
export {
  type AccountRow,
  type EventRow,
  insertAccounts,
  insertEvents,
  insertMemberships,
  insertUsers,
  type MembershipRow,
  type TypeOf,
  type UserRow,
} from "./rows/insert-rows.js";
export type { SortKey } from "./sort-key.js";
export { tableStatements } from "./tables.js";
export { changesWithTime } from "./tree/changes-with-time.js";
export { type DescribeOptions, describeQuery } from "./tree/describe.js";
export { type Reads, readsOf } from "./tree/reads.js";
