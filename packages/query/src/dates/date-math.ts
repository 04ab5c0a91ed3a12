import { MAX_DATE_MS } from "@muster/protocol";
import { addUnits, type CalendarUnit, startOfUnit } from "./calendar.js";
import { DEFAULT_DATE_FORMAT, dateReaders, readWrittenDate, type WrittenDate } from "./date-format.js";

export interface DateOptions {
  readonly now: Date;
  readonly format?: string | undefined;
  readonly timeZone?: string | undefined;
}

const STEP = /([+-])(\d{1,6})([yMwdhHms])|\/([yMwdhHms])/y;

/**
 * Reads `2024-01-01`, `now-30d/d` or `2024-01-01||+1M/d` as the first and the last millisecond that it can mean. That
 * gives the same results as Elasticsearch's rounding: `gte` and `lt` use the first, `gt` and `lte` the last.
 * Undefined when the text is not a date.
 */
export function readDateMath(text: string, options: DateOptions): WrittenDate | undefined {
  const zone = options.timeZone ?? "UTC";
  const readers = dateReaders(options.format ?? DEFAULT_DATE_FORMAT);
  if (readers === undefined) return undefined;
  const { anchor, steps } = splitMath(text);
  const written = anchor === "now" ? momentOf(options.now.getTime()) : readWrittenDate(anchor, readers, zone);
  const moved = written && steps !== "" ? applySteps(written.first, steps, zone) : written;
  return moved && Math.abs(moved.first) <= MAX_DATE_MS && Math.abs(moved.last) <= MAX_DATE_MS ? moved : undefined;
}

/** Whether the meaning of the text depends on the current time. */
export function isRelativeDate(text: string): boolean {
  return /^now(?:[+-]\d{1,6}[yMwdhHms]|\/[yMwdhHms])*$/.test(text);
}

function splitMath(text: string): { anchor: string; steps: string } {
  if (text.startsWith("now")) return { anchor: "now", steps: text.slice(3) };
  const bar = text.indexOf("||");
  return bar === -1 ? { anchor: text, steps: "" } : { anchor: text.slice(0, bar), steps: text.slice(bar + 2) };
}

function applySteps(startMs: number, steps: string, zone: string): WrittenDate | undefined {
  let moment = momentOf(startMs);
  STEP.lastIndex = 0;
  while (STEP.lastIndex < steps.length) {
    const step = STEP.exec(steps);
    if (step === null) return undefined;
    const [, sign, count, unit, rounding] = step;
    if (rounding === undefined) {
      const by = (first: number) => addUnits(first, Number(`${sign}${count}`), unitOf(unit), zone);
      moment = { first: by(moment.first), last: by(moment.last) };
    } else {
      const ends = (ms: number) => addUnits(startOfUnit(ms, unitOf(rounding), zone), 1, unitOf(rounding), zone) - 1;
      moment = { first: startOfUnit(moment.first, unitOf(rounding), zone), last: ends(moment.last) };
    }
  }
  return moment;
}

function momentOf(ms: number): WrittenDate {
  return { first: ms, last: ms };
}

function unitOf(letter: string | undefined): CalendarUnit {
  // The regular expression allows only these letters; `H` also means hours.
  return letter === "H" ? "h" : (letter as CalendarUnit);
}
