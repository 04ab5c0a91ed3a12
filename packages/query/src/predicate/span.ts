import { QueryError } from "../query-error.js";

/** The start of a window that ends now and is as long as `30d`, `12h`, or a number of days. */
export function windowStart(value: unknown, path: string): string {
  const span = typeof value === "number" && Number.isInteger(value) && value > 0 ? `${value}d` : value;
  if (typeof span !== "string" || !/^\d{1,6}[yMwdhms]$/.test(span)) {
    throw new QueryError(path, "expected a span such as 30d or 12h, or a number of days");
  }
  return `now-${span}`;
}

/** The span of a window that starts at `now-30d`; undefined for any other start. */
export function spanOf(start: unknown): string | undefined {
  return typeof start === "string" ? /^now-(\d{1,6}[yMwdhms])$/.exec(start)?.[1] : undefined;
}
