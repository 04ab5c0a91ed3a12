const DAY_MS = 86_400_000;
// About three years of days can be remembered at once.
const REMEMBERED_DAYS = 1_024;

const days = new Float64Array(REMEMBERED_DAYS).fill(Number.NaN);
const dates: string[] = new Array(REMEMBERED_DAYS).fill("");

const digits = (count: number, length: number) =>
  Array.from({ length: count }, (_, value) => String(value).padStart(length, "0"));
const MINUTES = Array.from({ length: 1_440 }, (_, minute) => {
  const [hours, minutes] = [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, "0"));
  return `${hours}:${minutes}:`;
});
const SECONDS = digits(60, 2).map((second) => `${second}.`);
const MILLISECONDS = digits(1_000, 3).map((millisecond) => `${millisecond}Z`);

/** Formats a time like `toISOString` of `Date`, which takes ten times as long. `time` is in whole milliseconds. */
export function isoText(time: number): string {
  const day = Math.floor(time / DAY_MS);
  // The remainder of a negative number is negative, and a negative index does not exist.
  const place = Math.abs(day) % REMEMBERED_DAYS;
  if (days[place] !== day) {
    const text = new Date(day * DAY_MS).toISOString();
    dates[place] = text.slice(0, text.indexOf("T") + 1);
    days[place] = day;
  }
  const rest = time - day * DAY_MS;
  const date = dates[place]! + MINUTES[Math.floor(rest / 60_000)]!;
  return date + SECONDS[Math.floor(rest / 1_000) % 60]! + MILLISECONDS[rest % 1_000]!;
}
