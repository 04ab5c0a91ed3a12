import { formatNumber, formatTime } from "../../ui/text/format.js";

type Value = string | number | boolean;

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });

/** A value of an attribute for people. An empty text would be invisible. */
export function printValue(type: string, value: Value): string {
  if (type === "date" && Number.isFinite(new Date(String(value)).getTime())) return formatTime(String(value));
  if (typeof value === "number") return formatNumber(value);
  return value === "" ? "(empty text)" : String(value);
}

/** The start of a bar of a histogram. Bars of dates begin at a day in UTC. */
export function printBarValue(type: string, value: Value): string {
  const time = new Date(typeof value === "number" ? value : String(value));
  if (type === "date" && Number.isFinite(time.getTime())) return day.format(time);
  return printValue(type, value);
}
