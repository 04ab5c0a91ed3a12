import type { Period, RetentionRow } from "@muster/query";
import type { StoredEvent } from "../../../../domain/events/stored-event.js";

export const HOUR_MS = 3_600_000;
export const START = Date.parse("2024-06-01T00:00:00.000Z");

type Fits = (event: StoredEvent) => boolean;

const timeOf = ({ created_at }: StoredEvent) => Date.parse(created_at);

/** The events of each user, in their order. */
function byUser(events: readonly StoredEvent[]): StoredEvent[][] {
  const users = new Map<string, StoredEvent[]>();
  for (const event of events) users.set(event.user_id, [...(users.get(event.user_id) ?? []), event]);
  const inOrder = (one: StoredEvent, other: StoredEvent) => timeOf(one) - timeOf(other) || (one.id < other.id ? -1 : 1);
  return [...users.values()].map((own) => own.toSorted(inOrder));
}

/** How many steps each user has reached, by trying every beginning. */
export function modelFunnel(
  events: readonly StoredEvent[],
  steps: readonly Fits[],
  { from, to }: Period,
  withinMs: number,
): Map<string, number> {
  const furthest = byUser(events).map((own): [string, number] => {
    const beginnings = own.flatMap((event, index) => {
      const isIn = timeOf(event) >= from && timeOf(event) < to;
      return isIn && steps[0]!(event) ? [index] : [];
    });
    return [own[0]!.user_id, Math.max(0, ...beginnings.map((index) => stepsFrom(own, index)))];
  });
  return new Map(furthest);

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
): (RetentionRow & { ids: string[] })[] {
  const counts = new Map<string, RetentionRow & { ids: string[] }>();
  const count = (id: string, began: number, back: number | undefined) => {
    const key = `${began} ${back}`;
    const ids = [...(counts.get(key)?.ids ?? []), id];
    counts.set(key, { start: began, back, users: ids.length, ids });
  };
  for (const own of byUser(events.filter((event) => timeOf(event) >= from && timeOf(event) < to))) {
    const first = own.find(start);
    if (!first) continue;
    const began = unitOf(timeOf(first));
    count(first.user_id, began, undefined);
    const later = own.filter((event) => comeback(event) && timeOf(event) > timeOf(first));
    for (const back of new Set(later.map((event) => unitOf(timeOf(event))))) count(first.user_id, began, back);
  }
  return [...counts.values()];
}

/** Rows in an order of their own, to compare those of an engine with those of the model. */
export const sorted = (rows: readonly RetentionRow[]) =>
  rows.map(({ start, back, users }) => `${start} ${back} ${users}`).toSorted();

/** How many users have events in each unit of time. */
export function modelUsers(
  events: readonly StoredEvent[],
  fits: Fits,
  { from, to }: Period,
  unitOf: (ms: number) => number,
): Map<number, number> {
  const users = new Map<number, Set<string>>();
  for (const event of events.filter((one) => fits(one) && timeOf(one) >= from && timeOf(one) < to)) {
    const unit = unitOf(timeOf(event));
    users.set(unit, (users.get(unit) ?? new Set()).add(event.user_id));
  }
  return new Map([...users].map(([unit, ids]) => [unit, ids.size]));
}

/** Whether an event has the name, or any event without one. */
export const fits =
  ({ event }: { event?: string }): Fits =>
  (stored) =>
    event === undefined || stored.event === event;
