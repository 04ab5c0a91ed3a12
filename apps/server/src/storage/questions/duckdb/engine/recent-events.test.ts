import { expect, test } from "vitest";
import { RecentEvents } from "./recent-events.js";

test("an event that is later than all in the file is new until it is written", () => {
  const recent = new RecentEvents(1_000);
  expect(recent.mayHave("a", 1_001)).toBe(false);
  recent.add("a", 1_001);
  expect(recent.mayHave("a", 1_001)).toBe(true);
  expect(recent.mayHave("b", 1_001)).toBe(false);
});

test("the file may have any event that is not later than its latest one", () => {
  const recent = new RecentEvents(1_000);
  expect(recent.mayHave("a", 1_000)).toBe(true);
  expect(recent.mayHave("a", 0)).toBe(true);
});

test("an event is never called new after it was written, however many follow", () => {
  const recent = new RecentEvents(0);
  const written: { id: string; createdAt: number }[] = [];
  for (let number = 1; number <= 50_000; number++) {
    // The times go up and down, and one event in 10,000 is far in the future.
    const createdAt = number % 10_000 === 0 ? 900_000 : number + (number % 7) * 100;
    const id = `e${number}`;
    recent.add(id, createdAt);
    written.push({ id, createdAt });
    if (number === 5_000) expect(recent.mayHave("other", 6_000)).toBe(false);
  }
  expect(written.filter(({ id, createdAt }) => !recent.mayHave(id, createdAt))).toEqual([]);
});

test("events in the order of their time stay new after many others", () => {
  const recent = new RecentEvents(0);
  for (let number = 1; number <= 100_000; number++) recent.add(`e${number}`, number);
  expect(recent.mayHave("late", 99_000)).toBe(false);
  expect(recent.mayHave("old", 1_000)).toBe(true);
});
