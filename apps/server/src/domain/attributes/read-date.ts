const ISO =
  /^[+-]?\d{4,6}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?)?$/i;
const RFC_2822 = /^(?:[A-Za-z]{3},\s*)?\d{1,2}\s[A-Za-z]{3}\s\d{4}\s\d{2}:\d{2}(?::\d{2})?\s(?:GMT|UTC|Z|[+-]\d{4})$/;

/** The format of `toISOString`, which is by far the most frequent one. Days that not every month has are left out. */
const PRINTED = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?Z$/;

/**
 * Reads an ISO 8601 or RFC 2822 date and returns milliseconds, or undefined when the text is not a date. A time without
 * a zone is UTC, whatever the time zone of the server.
 */
export function readDate(text: string): number | undefined {
  if (PRINTED.test(text)) return Date.parse(text);
  const given = text.trim();
  const iso = ISO.exec(given);
  if (iso && !isDayOfMonth(given)) return undefined;
  if (!iso) return RFC_2822.test(given) ? valid(Date.parse(given)) : undefined;
  const hasTime = given.length > 10 && /\d{2}:\d{2}/.test(given);
  const zone = iso[1];
  const normal = given
    .replace(" ", "T")
    .replace(",", ".")
    .replace(/\s/g, "")
    .replace(/([+-]\d{2})(\d{2})?$/, (whole, hours: string, minutes?: string) =>
      hasTime && zone && !whole.includes(":") ? `${hours}:${minutes ?? "00"}` : whole,
    );
  return valid(Date.parse(hasTime && !zone ? `${normal}Z` : normal));
}

/** Needed because `Date.parse` reads 30 February as 2 March. */
function isDayOfMonth(iso: string): boolean {
  const [, year, month, day] = /^([+-]?\d{4,6})-(\d{2})-(\d{2})/.exec(iso) ?? [];
  return day === undefined || Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}

function valid(time: number): number | undefined {
  return Number.isNaN(time) ? undefined : time;
}
