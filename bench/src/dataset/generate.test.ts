import { expect, test } from "vitest";
import { EVENT_SECONDS } from "./attributes.js";
import { amountsOf, EVENTS_PER_STEP, lastSequence, USERS_PER_STEP } from "./fill-order.js";
import { eventCount, eventsInOrder, inGroups, numbers, userDocument, userId } from "./generate.js";

const NOW = 1_800_000_000;

test("every event is generated once, in the order of time, of a generated user", () => {
  const users = 500;
  const events = [...eventsInOrder(users, NOW)];
  expect(new Set(events.map(({ id }) => id)).size).toBe(eventCount(users));
  const times = events.map(({ created_at }) => Date.parse(created_at));
  expect(times).toEqual([...times].sort((one, other) => one - other));
  expect(times[0]).toBeGreaterThan((NOW - EVENT_SECONDS) * 1_000 - 1);
  expect(times.at(-1)).toBeLessThanOrEqual(NOW * 1_000);
  const known = new Set([...numbers(users)].map(userId));
  expect(events.filter(({ user_id }) => !known.has(user_id))).toEqual([]);
});

test("ids have 24 digits and sort like the numbers of users", () => {
  const ids = [0, 1, 255, 65_536, 999_999].map(userId);
  expect(ids.every((id) => /^[0-9a-f]{24}$/.test(id))).toBe(true);
  expect([...ids].sort()).toEqual(ids);
});

test("the same number is the same user", () => {
  expect(userDocument(7)).toEqual(userDocument(7));
  expect(userDocument(7).report).toMatchObject({
    id: userId(7),
    email: "user-7@example.com",
    traits_plan: "enterprise",
  });
});

test("groups are full but for the last", () => {
  expect([...inGroups(numbers(5, 10), 2)]).toEqual([[0, 10], [20, 30], [40]]);
  expect([...inGroups([], 2)]).toEqual([]);
});

test("the last sequence is the number of steps that the amounts make", () => {
  const order = { users: 20_000, hasEvents: true };
  expect(amountsOf(order)).toEqual({ events: 200_000, rewritten: 400, members: 2_000 });
  const steps =
    Math.ceil(200_000 / EVENTS_PER_STEP) + Math.ceil(400 / USERS_PER_STEP) + Math.ceil(2_000 / USERS_PER_STEP);
  expect(lastSequence(order)).toBe(steps);
  expect(lastSequence({ ...order, hasEvents: false })).toBe(2);
});
