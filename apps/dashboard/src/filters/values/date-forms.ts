/** How a date in a clause is given: a day such as `2026-01-31`, a time before now such as `now-30d` or after it, or otherwise. */
export type DateForm = "day" | "ago" | "ahead" | "text";

const FROM_NOW = /^now([+-])(\d{1,6}[yMwdhms])$/;

export function dateFormOf(value: unknown): DateForm {
  if (value === undefined || value === "") return "day";
  const text = String(value);
  const sign = FROM_NOW.exec(text)?.[1];
  if (sign !== undefined) return sign === "-" ? "ago" : "ahead";
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? "day" : "text";
}

/** @example spanFromNow("now-30d") // "30d" */
export function spanFromNow(value: unknown): string | undefined {
  return FROM_NOW.exec(String(value))?.[2];
}

export function timeFromNow(form: "ago" | "ahead", span: string): string {
  return `now${form === "ago" ? "-" : "+"}${span}`;
}

/** Today in the viewer's zone. */
export function today(now = new Date()): string {
  const part = (number: number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${part(now.getMonth() + 1)}-${part(now.getDate())}`;
}
