const HOUR_MINUTES = 60;
const DAY_MINUTES = 24 * HOUR_MINUTES;

/** When a recurring call is made: `interval 5` is "every 5 minutes", `cron 0 * * * *` stays as it is, in UTC. */
export function timingWords(timing: string): string {
  const [, type, value = ""] = /^(interval|cron) (.*)$/.exec(timing) ?? [];
  if (type === "cron") return `${value} (cron, UTC)`;
  const minutes = Number(value);
  if (type !== "interval" || !Number.isFinite(minutes)) return timing;
  if (minutes % DAY_MINUTES === 0) return every(minutes / DAY_MINUTES, "day");
  return minutes % HOUR_MINUTES === 0 ? every(minutes / HOUR_MINUTES, "hour") : every(minutes, "minute");
}

function every(count: number, unit: string): string {
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`;
}
