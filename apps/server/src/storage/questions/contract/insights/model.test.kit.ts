import type { Period, RetentionRow } from "@muster/query";
import type { StoredEvent } from "../../../../domain/events/stored-event.js";

type Fits = (event: StoredEvent) => boolean;

const timeOf = ({ created_at }: StoredEvent) => Date.parse(created_at);

/** The events of each user, in their order. */
function byUser(events: readonly StoredEvent[]): StoredEvent[][] {
  const users = new Map<string, StoredEvent[]>();
  for (const event of events) users.set(event.user_id, [...(users.get(event.user_id) ?? []), event]);
  const inOrder = (one: StoredEvent, other: StoredEvent) => timeOf(one) - timeOf(other) || (one.id < other.id ? -1 : 1);
  return [...users.values()].map((own) => own.toSorted(inOrder));
}

/** A funnel by trying every beginning of every user. */
export function modelFunnel(
  events: readonly StoredEvent[],
  steps: readonly Fits[],
  { from, to }: Period,
  withinMs: number,
): number[] {
  const furthest = byUser(events).map((own) => {
    const beginnings = own.flatMap((event, index) => {
      const isIn = timeOf(event) >= from && timeOf(event) < to;
      return isIn && steps[0]!(event) ? [index] : [];
    });
    return Math.max(0, ...beginnings.map((index) => stepsFrom(own, index)));
  });
  return steps.map((_, place) => furthest.filter((reached) => reached > place).length);

  /** Taking each step as early as possible reaches the most. */
  function stepsFrom(own: readonly StoredEvent[], beginning: number): number {
    let reached = 1;
    for (const event of own.slice(beginning + 1)) {
      if (timeOf(event) - timeOf(own[beginning]!) > withinMs) break;
      if (reached < steps.length && steps[reached]!(event)) reached += 1;
    }
    return reached;
  }
}

export function modelRetention(
  events: readonly StoredEvent[],
  start: Fits,
  comeback: Fits,
  { from, to }: Period,
  unitOf: (ms: number) => number,
): RetentionRow[] {
  const counts = new Map<string, RetentionRow>();
  const count = (began: number, back: number | undefined) => {
    const key = `${began} ${back}`;
    counts.set(key, { start: began, back, users: (counts.get(key)?.users ?? 0) + 1 });
  };
  for (const own of byUser(events.filter((event) => timeOf(event) >= from && timeOf(event) < to))) {
    const first = own.find(start);
    if (!first) continue;
    const began = unitOf(timeOf(first));
    count(began, undefined);
    const later = own.filter((event) => comeback(event) && timeOf(event) > timeOf(first));
    for (const back of new Set(later.map((event) => unitOf(timeOf(event))))) count(began, back);
  }
  return [...counts.values()];
}
