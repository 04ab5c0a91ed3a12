import { MINUTE_MS } from "@muster/protocol";
/** A time in this time zone, as a field for a date and a time wants it. */
export function localText(time: number): string {
  const date = new Date(time);
  return new Date(time - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 19);
}
