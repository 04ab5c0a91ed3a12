import { QueryError } from "../query-error.js";

/** The start of a window that ends now and is as long as `30d`, `12h`, or a number of days. */
export function windowStart(value: unknown, path: string): string {
  return `now-${spanAt(value, path)}`;
}

/** The end of a window that begins now. */
export function windowEnd(value: unknown, path: string): string {
  return `now+${spanAt(value, path)}`;
}

function spanAt(value: unknown, path: string): string {
  const span = typeof value === "number" && Number.isInteger(value) && value > 0 ? `${value}d` : value;
  if (typeof span !== "string" || !/^\d{1,6}[yMwdhms]$/.test(span)) {
    throw new QueryError(path, "expected a span such as 30d or 12h, or a number of days");
  }
  return span;
}

/** The span of a window that starts at `now-30d`; undefined for any other start. */
export function spanBefore(start: unknown): string | undefined {
  return typeof start === "string" ? /^now-(\d{1,6}[yMwdhms])$/.exec(start)?.[1] : undefined;
}

/** The span of a window that ends at `now+30d`; undefined for any other end. */
export function spanAfter(end: unknown): string | undefined {
  return typeof end === "string" ? /^now\+(\d{1,6}[yMwdhms])$/.exec(end)?.[1] : undefined;
}
