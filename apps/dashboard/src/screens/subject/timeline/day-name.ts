const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full" });

/** The day of a time, in the viewer's zone. */
export function dayName(at: string, now = new Date()): string {
  const day = new Date(at);
  const yesterday = new Date(now);
  yesterday.setDate(yesterday.getDate() - 1);
  if (day.toDateString() === now.toDateString()) return "Today";
  return day.toDateString() === yesterday.toDateString() ? "Yesterday" : full.format(day);
}
