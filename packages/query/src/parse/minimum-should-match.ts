import { QueryError } from "../query-error.js";

/** Reads `2`, `-1` (all but one), `"75%"` or `"-25%"` as a number of clauses. */
export function minimumShouldMatch(value: unknown, path: string, count: number): number {
  const [, sign, digits, percent] = /^(-?)(\d{1,6})(%?)$/.exec(String(value)) ?? [];
  if (digits === undefined || (typeof value !== "string" && typeof value !== "number")) {
    throw new QueryError(path, 'expected a number of clauses such as 2, -1 or "75%"');
  }
  const amount = percent === "%" ? Math.floor((count * Number(digits)) / 100) : Number(digits);
  return sign === "-" ? Math.max(0, count - amount) : amount;
}
