import {
  AGGREGATION_OPTIONS,
  CLAUSE_OPTIONS,
  DEFAULT_TEXT_FIELDS,
  FIELD_ALIASES,
  IGNORED_EVERYWHERE,
  type KnownOptions,
  LIMITS,
  PROPERTY_OPERATORS,
  predicateToQuery,
  STANDARD_FIELDS,
  type Target,
} from "@muster/query";
import { MAX_FIELDS, MAX_PATTERNS } from "../../audience/search/field-filter.js";
import { MAX_PER_PAGE } from "../../http/routes/audience/search.js";
import { markdownTable } from "../markdown-table.js";
import { limitsTable, settingLimit, withCommas } from "./limit-rows.js";
import { aggregationTypeRows, clauseTypeRows, FIELD_KINDS } from "./query-type-rows.js";

/** The generated parts of docs/query-language.md, from the tables of the parser. */
export const QUERY_TABLES = {
  clauses: clausesTable,
  "clause-types": () => markdownTable(["Clause, field type", ...FIELD_KINDS], clauseTypeRows()),
  aggregations: aggregationsTable,
  ignored: ignoredTable,
  "aggregation-types": () => markdownTable(["Aggregation, field type", ...FIELD_KINDS], aggregationTypeRows()),
  fields: fieldsTable,
  operators: operatorsTable,
  limits: queryLimits,
};

const METRICS: readonly string[] = ["cardinality", "stats", "sum", "avg", "min", "max"];

function clausesTable(): string {
  const rows = Object.entries<KnownOptions>(CLAUSE_OPTIONS).map(([name, { options }]) => [
    `[\`${name}\`](#${name})`,
    coded(options),
  ]);
  return markdownTable(["Clause", "Options"], rows);
}

function aggregationsTable(): string {
  const rows = Object.entries<KnownOptions>(AGGREGATION_OPTIONS).map(([name, { options }]) => [
    `[\`${name}\`](#${METRICS.includes(name) ? "metrics" : `${name}-aggregation`})`,
    coded(options),
  ]);
  return markdownTable(["Aggregation", "Options"], rows);
}

/** The options without effect. Those that the same clauses have are in one row. */
function ignoredTable(): string {
  const owners = new Map<string, string[]>();
  const collect = (table: Readonly<Record<string, KnownOptions>>, suffix: string) => {
    for (const [name, { ignored }] of Object.entries(table)) {
      for (const option of ignored) owners.set(option, [...(owners.get(option) ?? []), `\`${name}\`${suffix}`]);
    }
  };
  collect(CLAUSE_OPTIONS, "");
  collect(AGGREGATION_OPTIONS, " aggregation");
  const rows = new Map<string, string[]>();
  for (const [option, names] of owners) rows.set(names.join(", "), [...(rows.get(names.join(", ")) ?? []), option]);
  return markdownTable(
    ["In", "Options without effect"],
    [["everywhere", coded(IGNORED_EVERYWHERE)], ...[...rows].map(([names, options]) => [names, coded(options)])],
  );
}

function fieldsTable(): string {
  const rows = (Object.keys(STANDARD_FIELDS) as Target[]).map((target) => {
    const fields = Object.entries(STANDARD_FIELDS[target]).map(([name, type]) =>
      type === "string" ? `\`${name}\`` : `\`${name}\` (${type})`,
    );
    const aliases = Object.entries(FIELD_ALIASES[target]).map(([alias, name]) => `\`${alias}\` = \`${name}\``);
    return [`${target}s`, fields.join(", "), aliases.join(", "), coded(DEFAULT_TEXT_FIELDS[target])];
  });
  return markdownTable(["About", "Fields; string unless said otherwise", "Other names", "Searched by default"], rows);
}

/** A value that each operator takes; the others take none. */
const OPERATOR_VALUES: Readonly<Partial<Record<(typeof PROPERTY_OPERATORS)[number], unknown>>> = {
  equals: "pro",
  not_equals: "pro",
  contains: "pro",
  not_contains: "pro",
  begins_with: "pro",
  ends_with: "pro",
  less_than: 10,
  at_most: 10,
  greater_than: 10,
  at_least: 10,
  between: [10, 20],
  in_last: "30d",
  not_in_last: "30d",
  in_next: "30d",
  not_in_next: "30d",
  before: "2026-01-01",
  on_or_before: "2026-01-01",
  after: "2026-01-01",
  on_or_after: "2026-01-01",
  in_segment: "ID",
  not_in_segment: "ID",
};

function operatorsTable(): string {
  const rows = PROPERTY_OPERATORS.map((operator) => {
    const value = OPERATOR_VALUES[operator];
    const query = predicateToQuery(
      {
        property: { key: operator.endsWith("in_segment") ? "segment_ids" : "field" },
        operator,
        ...(value === undefined ? {} : { options: { value } }),
      },
      { target: "user" },
    );
    return [
      `\`${operator}\``,
      value === undefined ? "" : `\`${JSON.stringify(value)}\``,
      `\`${JSON.stringify(query)}\``,
    ];
  });
  return markdownTable(["Operator", "`options.value`", "The same as"], rows);
}

const LIMIT_MEANINGS: Readonly<Record<keyof typeof LIMITS, string>> = {
  depth: "Depth of nested clauses, and of groups of a predicate",
  clauses: "Clauses in one query",
  listLength: "Values in one list (`terms`, `ids`, lists of clauses)",
  valueLength: "Characters in a value",
  patternLength: "Characters in a pattern or in a text to match",
  regexpLength: "Characters that a regular expression has when its repetitions are written out",
  fieldNameLength: "Characters in the name of a field",
  formatLength: "Characters in a date format",
  words: "Words in a text to match, and fields in `fields`",
  sortKeys: "Fields to sort by",
  aggregations: "Aggregations in one request, nested ones included; filters or ranges of one aggregation",
  buckets: "Buckets of one list",
  answerBuckets: "Buckets of one answer: of all its lists together, with empty buckets and each metric of a bucket",
  pageDepth: "Rows that can be reached with `page`; `search_after` goes further",
};

function queryLimits(): string {
  return limitsTable([
    ...Object.entries(LIMIT_MEANINGS).map(
      // `Object.entries` forgets that the keys are those of the limits.
      ([name, meaning]) => [meaning, withCommas(LIMITS[name as keyof typeof LIMITS])] as const,
    ),
    ["Rows of a page (`per_page`)", withCommas(MAX_PER_PAGE)],
    ["Names in `include`; of these, names with a star", `${withCommas(MAX_FIELDS)}; ${MAX_PATTERNS}`],
    settingLimit("Time that one question may take", "QUESTION_TIME_LIMIT_MS", " ms"),
    settingLimit("Bytes of a request", "BODY_LIMIT_BYTES"),
  ]);
}

function coded(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}
