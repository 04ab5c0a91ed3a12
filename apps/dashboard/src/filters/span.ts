/** A time such as 30 days, as it is in predicates: `30d`, or a number of days. */
export interface Span {
  amount: number;
  unit: SpanUnit;
}

export type SpanUnit = "y" | "M" | "w" | "d" | "h" | "m" | "s";

export const UNITS: Readonly<Record<SpanUnit, string>> = {
  m: "minute",
  h: "hour",
  d: "day",
  w: "week",
  M: "month",
  y: "year",
  s: "second",
};

/** @example readSpan("30d") // { amount: 30, unit: "d" } */
export function readSpan(value: unknown): Span | undefined {
  if (typeof value === "number") return Number.isInteger(value) && value > 0 ? { amount: value, unit: "d" } : undefined;
  const [, amount, unit] = typeof value === "string" ? (/^(\d{1,6})([yMwdhms])$/.exec(value) ?? []) : [];
  // The pattern allows these units only.
  return amount === undefined ? undefined : { amount: Number(amount), unit: unit as SpanUnit };
}

export function writeSpan({ amount, unit }: Span): string {
  return `${amount}${unit}`;
}

/** @example spanWords("1d") // "day"; spanWords("30d") // "30 days" */
export function spanWords(value: unknown): string {
  const span = readSpan(value);
  if (!span) return String(value);
  return span.amount === 1 ? UNITS[span.unit] : `${span.amount} ${UNITS[span.unit]}s`;
}
