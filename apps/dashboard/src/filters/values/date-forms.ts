/** How a date in a clause is given: a day such as `2026-01-31`, a time before now such as `now-30d`, or otherwise. */
export type DateForm = "day" | "ago" | "text";

const AGO = /^now-(\d{1,6}[yMwdhms])$/;

export function dateFormOf(value: unknown): DateForm {
  if (value === undefined || value === "") return "day";
  const text = String(value);
  if (AGO.test(text)) return "ago";
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? "day" : "text";
}

/** @example readAgo("now-30d") // "30d" */
export function readAgo(value: unknown): string | undefined {
  return AGO.exec(String(value))?.[1];
}

export function writeAgo(span: string): string {
  return `now-${span}`;
}

/** Today in the viewer's zone. */
export function today(now = new Date()): string {
  const part = (number: number) => String(number).padStart(2, "0");
  return `${now.getFullYear()}-${part(now.getMonth() + 1)}-${part(now.getDate())}`;
}
