import type { Breakdown, Slice } from "../../insight.js";
import { compileBucketing } from "../bucketing.js";
import type { Joins } from "../joins.js";
import type { Scope } from "../scope.js";
import type { StatementParams } from "../statement-params.js";

/** The SQL of a breakdown. */
export interface Sliced {
  /** The value of a row, or the list of its values. */
  readonly sql: string;
  readonly isList: boolean;
  /** The condition for rows that have a value. */
  readonly where: string;
  readonly read: (value: unknown) => Slice;
  /** The condition for rows whose `slice` is this value. */
  readonly matches: (slice: Slice, params: StatementParams) => string;
}

const READERS: Readonly<Record<string, (value: unknown) => Slice>> = {
  text: String,
  number: Number,
  boolean: (value) => Number(value) === 1,
  date: (value) => new Date(Number(value)).toISOString(),
};

const WRITERS: Readonly<Record<string, (slice: Slice) => string | number>> = {
  number: Number,
  boolean: (slice) => (slice === true ? 1 : 0),
  date: (slice) => Date.parse(String(slice)),
};

/** Compiles a breakdown as the buckets of `terms`. */
export function compileBreakdown({ path, field, size }: Breakdown, joins: Joins, scope: Scope): Sliced {
  const by = { kind: "terms", field, size, minCount: 1, orderBy: "_count", descending: true } as const;
  const { key, isList, where, keys } = compileBucketing({ kind: "bucket", path, by, inside: [] }, joins, scope);
  const write = WRITERS[keys] ?? String;
  const matches = (slice: Slice, params: StatementParams) => {
    const value = write(slice);
    return `slice = ${params.add(typeof value === "number" ? "number" : "text", value)}`;
  };
  return { sql: key, isList, where, read: READERS[keys] ?? String, matches };
}

/** The rows with one row for each value of `slice`, when it is a list. `others` are their other columns. */
export function explodeSlices(rows: string, { isList }: Sliced, others: readonly string[], { dialect }: Scope): string {
  if (!isList) return rows;
  return `select ${[...others, `${dialect.explode("slice")} as slice`].join(", ")} from (${rows}) as lists`;
}
