import { DAY_MS } from "@muster/protocol";
import { type DemoAccount, TRIAL_DAYS } from "./accounts.js";
import type { DemoEvent } from "./events.js";
import type { Person } from "./users.js";

/** A time in which a user was in a segment. Without an end, the user still is. */
interface Stay {
  from: number;
  to?: number;
}

/** A move that happened before the segment was created here, by the name of the segment. */
export interface Move {
  segment: string;
  entered: boolean;
  at: number;
}

const POWER_ORDERS = 3;
const POWER_DAYS = 30;
const QUIET_DAYS = 90;
const NEW_DAYS = 7;
const ENDING_DAYS = 3;

/** How a user moved through the segments of the demo, as its queries would have found out at the time. */
export function movesOf({ user, events }: Person, account: DemoAccount | undefined, now: number): Move[] {
  const createdAt = Date.parse(user.created_at);
  const orders = timesOf(events, ["Order placed"]);
  const stays: Record<string, Stay[]> =
    user.email === undefined
      ? { "Visitors without a name": [{ from: createdAt }] }
      : {
          "New this week": [{ from: createdAt, to: createdAt + NEW_DAYS * DAY_MS }],
          "Newsletter in France": user.newsletter && user.country === "France" ? [{ from: createdAt }] : [],
          "Power users": powerStays(orders),
          "Gone quiet": account?.is_customer ? quietStays(timesOf(events, ["Page viewed", "Order placed"])) : [],
          "Trial ending": account ? trialStays(createdAt, Date.parse(account.created_at)) : [],
        };
  return Object.entries(stays).flatMap(([segment, all]) =>
    all.flatMap(({ from, to }) => {
      const moves = [
        { segment, entered: true, at: from },
        ...(to === undefined ? [] : [{ segment, entered: false, at: to }]),
      ];
      return moves.filter(({ at }) => at > now - 365 * DAY_MS && at < now);
    }),
  );
}

function timesOf(events: readonly DemoEvent[], names: readonly string[]): number[] {
  return events
    .filter(({ event }) => names.includes(event))
    .map(({ created_at }) => Date.parse(created_at))
    .sort((one, other) => one - other);
}

/** From the third order within 30 days until the third last one is older than that. */
function powerStays(orders: readonly number[]): Stay[] {
  const stays: { from: number; to: number }[] = [];
  for (let index = POWER_ORDERS - 1; index < orders.length; index++) {
    const from = orders[index]!;
    const to = orders[index - POWER_ORDERS + 1]! + POWER_DAYS * DAY_MS;
    if (to <= from) continue;
    const last = stays.at(-1);
    if (last && from <= last.to) last.to = to;
    else stays.push({ from, to });
  }
  return stays;
}

/** From 90 days after something that the user did until the next. */
function quietStays(times: readonly number[]): Stay[] {
  return times.flatMap((time, index) => {
    const from = time + QUIET_DAYS * DAY_MS;
    const next = times[index + 1];
    if (next === undefined) return [{ from }];
    return next > from ? [{ from, to: next }] : [];
  });
}

/** The last days of the account's trial, for those who had signed up by then. */
function trialStays(createdAt: number, accountCreatedAt: number): Stay[] {
  const to = accountCreatedAt + TRIAL_DAYS * DAY_MS;
  const from = Math.max(createdAt, to - ENDING_DAYS * DAY_MS);
  return from < to ? [{ from, to }] : [];
}
