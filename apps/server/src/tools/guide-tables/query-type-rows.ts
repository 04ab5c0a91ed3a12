import {
  type AGGREGATION_OPTIONS,
  type AttributeTypes,
  checkQuery,
  type FieldType,
  parse,
  parseAggregations,
  parseSort,
  QueryError,
  type Target,
} from "@muster/query";

type Json = Readonly<Record<string, unknown>>;

interface FieldKind {
  target: Target;
  field: string;
  /** A value that a field of this type can have. */
  value: string | number | boolean;
}

const TYPES: readonly FieldType[] = ["string", "numeric", "date", "boolean", "array", "json"];
const VALUES: Readonly<Record<FieldType, string | number | boolean>> = {
  string: "pro",
  numeric: 10,
  date: "2026-01-01",
  boolean: true,
  array: "pro",
  json: "pro",
};

/** What a query can ask about: attributes of each type, memberships, and properties of events, which have no type. */
const KINDS: Readonly<Record<string, FieldKind>> = {
  ...Object.fromEntries(TYPES.map((type) => [type, { target: "user", field: type, value: VALUES[type] }])),
  "`segment_ids`": { target: "user", field: "segment_ids", value: "pro" },
  property: { target: "event", field: "properties.any", value: "pro" },
};
export const FIELD_KINDS = Object.keys(KINDS);

/** One attribute of each type, named after it. */
const ATTRIBUTE_TYPES: AttributeTypes = {
  typeOf: (_, key) => TYPES.find((type) => key === `traits_${type}`),
};

/** Clauses about one field. `match` stands for all clauses that look for words. */
const FIELD_CLAUSES: Readonly<Record<string, (kind: FieldKind) => Json>> = {
  "`term`, `terms`": ({ field, value }) => ({ term: { [field]: value } }),
  "`range`": ({ field, value }) => ({ range: { [field]: { gt: typeof value === "boolean" ? 1 : value } } }),
  "`exists`, `missing`": ({ field }) => ({ exists: { field } }),
  "`prefix`": ({ field }) => ({ prefix: { [field]: "p" } }),
  "`wildcard`": ({ field }) => ({ wildcard: { [field]: "p*" } }),
  "`regexp`": ({ field }) => ({ regexp: { [field]: "p.*" } }),
  "`match` and the other text clauses": ({ field, value }) => ({ match: { [field]: String(value) } }),
};

/** For each clause, whether it is accepted for a field of each kind. */
export function clauseTypeRows(): string[][] {
  const rows = Object.entries(FIELD_CLAUSES).map(([name, clause]) => [
    name,
    ...Object.values(KINDS).map((kind) => verdict(() => check(kind.target, { query: clause(kind) }))),
  ]);
  const sortRow = Object.values(KINDS).map(({ target, field }) =>
    verdict(() => check(target, { sort: { [field]: "asc" } })),
  );
  return [...rows, ["`sort`", ...sortRow]];
}

/** The options that each aggregation about one field needs besides the field. `filter` and `filters` have no field. */
const NEEDED: Readonly<Record<Exclude<keyof typeof AGGREGATION_OPTIONS, "filter" | "filters">, Json>> = {
  missing: {},
  terms: {},
  histogram: { interval: 1 },
  date_histogram: { interval: "day" },
  range: { ranges: [{ from: 1 }] },
  cardinality: {},
  stats: {},
  sum: {},
  avg: {},
  min: {},
  max: {},
};

export function aggregationTypeRows(): string[][] {
  return Object.entries(NEEDED).map(([name, options]) => [
    `\`${name}\``,
    ...Object.values(KINDS).map(({ target, field }) =>
      verdict(() => check(target, { aggs: { any: { [name]: { field, ...options } } } })),
    ),
  ]);
}

function check(target: Target, { query = {}, sort = [], aggs = {} }: { query?: Json; sort?: unknown; aggs?: Json }) {
  const beside = { sort: parseSort(sort, { target }), aggregations: parseAggregations(aggs, { target }) };
  checkQuery(parse(query, { target }), { target, attributeTypes: ATTRIBUTE_TYPES, now: new Date(0) }, beside);
}

function verdict(attempt: () => void): string {
  try {
    attempt();
    return "yes";
  } catch (error) {
    if (error instanceof QueryError) return "400";
    throw error;
  }
}
