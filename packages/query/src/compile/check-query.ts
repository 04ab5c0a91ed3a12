import type { NamedAggregation } from "../aggregation.js";
import type { Query } from "../query.js";
import type { SortKey } from "../sort-key.js";
import { compileAggregations } from "./aggregations.js";
import type { Column } from "./column.js";
import { compileQuery } from "./compile-query.js";
import type { Dialect } from "./dialect.js";
import { type CompileOptions, openScope } from "./scope.js";
import { compileSort } from "./sort.js";

const nothing = () => "";
const column = (type: Column["type"]): Column => ({ type, sql: "" });

/** A dialect that writes no SQL, for checking a query without an engine. */
const SILENT: Dialect = {
  placeholder: nothing,
  table: nothing,
  ownRows: nothing,
  key: "",
  userKey: "",
  accountKey: "",
  eventOrder: "",
  attribute: (_, { type }) => column(type),
  eventColumn: (key) => column(key === "created_at" ? "instant" : key.includes(".") ? "dynamic" : "string"),
  among: () => nothing,
  memberKeys: nothing,
  segmentLists: nothing,
  isOneOf: nothing,
  idText: nothing,
  textOf: nothing,
  nullOf: nothing,
  lower: nothing,
  lowerCase: (text) => text,
  startsWith: nothing,
  like: nothing,
  matches: nothing,
  hasWords: nothing,
  isFilled: nothing,
  hasAnyOf: nothing,
  anyElement: (_, condition) => condition(""),
  numberFrom: nothing,
  smallest: nothing,
  largest: nothing,
  distinct: nothing,
  explode: nothing,
  placesOf: nothing,
  place: nothing,
  setOf: nothing,
  hasPlace: nothing,
  countElements: nothing,
  earliest: nothing,
  latest: nothing,
  dynamic: () => ({ text: "", number: "", boolean: "", list: "" }),
  dynamicEquals: nothing,
  dynamicTexts: nothing,
  instant: nothing,
  milliseconds: nothing,
  millisecondsAfter: nothing,
  quotient: nothing,
  millisecondsOfText: nothing,
  startOfUnit: nothing,
  jsonList: nothing,
  jsonText: nothing,
};

export type CheckOptions = Omit<CompileOptions, "dialect">;

/** Throws a `QueryError` when a query tests a field in a way that its type does not allow. Needs no engine. */
export function checkQuery(
  query: Query,
  options: CheckOptions,
  beside: { readonly sort?: readonly SortKey[]; readonly aggregations?: readonly NamedAggregation[] } = {},
): void {
  const compile = { ...options, dialect: SILENT };
  const scope = openScope(compile);
  compileQuery(query, scope);
  compileSort(beside.sort ?? [], scope);
  compileAggregations(query, beside.aggregations ?? [], compile);
}
