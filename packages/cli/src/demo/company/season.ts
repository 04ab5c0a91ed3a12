import { DAY_MS, HOUR_MS } from "@muster/protocol";
import { createFractions, type Random } from "./random.js";

/** How busy the company is in each month, compared with an ordinary one: people give tea in December. */
const MONTHS = [0.9, 0.9, 1, 1, 1, 0.9, 0.8, 0.7, 1, 1.1, 1.3, 2] as const;
/** From Sunday to Saturday. */
const WEEKDAYS = [0.3, 1.1, 1.2, 1.2, 1.1, 0.9, 0.35] as const;
/** By the hour, UTC: offices order in the morning and after lunch. */
const HOURS = [
  0.05, 0.03, 0.02, 0.02, 0.05, 0.15, 0.4, 0.8, 1.2, 1.5, 1.4, 1.1, 0.8, 1.2, 1.4, 1.2, 0.9, 0.6, 0.4, 0.4, 0.4, 0.3,
  0.2, 0.1,
] as const;

const BUSIEST = { month: Math.max(...MONTHS), week: Math.max(...WEEKDAYS) * Math.max(...HOURS) };
const MOST_TRIES = 60;
const SHORT_MS = DAY_MS / 4;

/**
 * A time between two others: more often in busy hours, and with a `growth` above 1 more often towards the end. It draws
 * one number from the given source, however long the search is, so that later draws do not depend on the present time.
 */
export function momentBetween(random: Random, from: number, to: number, growth = 1): number {
  const own = createFractions(random.fraction() * 2 ** 32);
  let time = from;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    time = Math.floor(from + (to - from) * own() ** (1 / growth));
    // A short time may have no busy hour.
    if (to - from < SHORT_MS || isBusy(time, own)) break;
  }
  return time;
}

/** True in proportion to how much happens at a time. */
function isBusy(time: number, fraction: () => number): boolean {
  const hour = HOURS[Math.floor(time / HOUR_MS) % HOURS.length]!;
  // The first day of 1970 was a Thursday.
  const weekday = WEEKDAYS[(Math.floor(time / DAY_MS) + 4) % WEEKDAYS.length]!;
  if (fraction() * BUSIEST.week >= hour * weekday) return false;
  return fraction() * BUSIEST.month < MONTHS[new Date(time).getUTCMonth()]!;
}
