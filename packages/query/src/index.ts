// The public surface, by name.

export type { Aggregation, BucketAggregation, MetricAggregation, NamedAggregation } from "./aggregation.js";
export {
  type AggregationRow,
  type AskRows,
  type CompiledAggregation,
  compileAggregations,
} from "./compile/aggregations.js";
export { checkQuery } from "./compile/check-query.js";
export type { Column } from "./compile/column.js";
export { compileQuery } from "./compile/compile-query.js";
export {
  type CompiledComputations,
  compileEventAggregates,
  compileIds,
  compileUserAggregates,
} from "./compile/computations.js";
export type {
  Dialect,
  DynamicParts,
  DynamicValues,
  NullType,
  WordPattern,
} from "./compile/dialect.js";
export { EventCounters } from "./compile/event-counters.js";
export {
  type ExplainedClause,
  type ExplainedReport,
  type Explanation,
  explainStatement,
} from "./compile/explain.js";
export { type CompiledFunnel, compileFunnel } from "./compile/insights/funnel.js";
export {
  type CompiledMemberCounts,
  compileMembersThen,
  compileMembersThenCounts,
} from "./compile/insights/members-then.js";
export { type CompiledRetention, compileRetention } from "./compile/insights/retention.js";
export { type CompiledTrend, compileTrend } from "./compile/insights/trend.js";
export { type CompiledUsers, compileInsightUsers } from "./compile/insights/users.js";
export { joinEventCounts } from "./compile/join-event-counts.js";
export { and, FALSE, or, settled, TRUE } from "./compile/logic.js";
export { type Page, requireReachable } from "./compile/page.js";
export { type CompileOptions, openScope, rowsOf, type Scope } from "./compile/scope.js";
export { compileSegments, type SegmentQuery } from "./compile/segments.js";
export { compileSort } from "./compile/sort.js";
export { type Param, type ParamType, type Statement, StatementParams } from "./compile/statement-params.js";
export type { ComputedValues, EventAggregate, UserAggregate } from "./computation.js";
export { addUnits, startOfUnit } from "./dates/calendar.js";
export { type Question, type ReportTest, type ReportTestOptions, reportTest } from "./evaluate/report-test.js";
export type {
  Breakdown,
  Calendar,
  Funnel,
  FunnelRow,
  InsightUsers,
  Measure,
  MembersThen,
  MembersThenCounts,
  Period,
  Retention,
  RetentionRow,
  Slice,
  Trend,
  TrendRow,
  UsersPage,
} from "./insight.js";
export { LIMITS } from "./limits.js";
export { AGGREGATION_OPTIONS, CLAUSE_OPTIONS, IGNORED_EVERYWHERE, type KnownOptions } from "./parse/clause-options.js";
export { type ParseOptions, parse } from "./parse/parse.js";
export { parseAggregations } from "./parse/parse-aggregations.js";
export { EXACT_SUFFIXES, FIELD_ALIASES } from "./parse/parse-field.js";
export { parseSort } from "./parse/parse-sort.js";
export {
  type InsightOptions,
  parseFunnel,
  parseInsightUsers,
  parseRetention,
  parseTrend,
  periodBefore,
} from "./parse-insights.js";
export {
  EVENT_OPERATORS,
  type EventOperator,
  type EventPredicate,
  GROUP_TYPES,
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
export { attributeName, isStandardField, reportKey } from "./report-key.js";
export type { SortKey } from "./sort-key.js";
export { isSet, storedBoolean, storedElements, storedNumber, storedText, storedTime } from "./stored-values.js";
export {
  type AttributeTypes,
  DEFAULT_TEXT_FIELDS,
  type FieldDefinition,
  type FieldType,
  resolveField,
  STANDARD_FIELDS,
  type Target,
} from "./target.js";
export { changesWithTime } from "./tree/changes-with-time.js";
export { type DescribeOptions, describeQuery } from "./tree/describe.js";
export { movedByTime, type TimeSpan } from "./tree/moved-by-time.js";
export { type QueryDependencies, queryDependencies } from "./tree/query-dependencies.js";
export { requiredValues } from "./tree/required-values.js";
export { changedClauses, isSameQuery } from "./tree/same-query.js";
export { type UnknownField, unknownFields } from "./tree/unknown-fields.js";
export { WORD_CHARACTERS } from "./words.js";
