import { DAY_MS } from "@muster/protocol";
import { expect, test } from "vitest";
import { createCompany } from "./company.js";
import { movesOf } from "./moves.js";

const NOW = Date.parse("2026-06-17T10:00:00Z");
const company = createCompany({ seed: 1, users: 2_000, now: NOW });

test("the same seed makes the same company, and another one another", () => {
  expect(createCompany({ seed: 1, users: 2_000, now: NOW })).toEqual(company);
  const other = createCompany({ seed: 2, users: 2_000, now: NOW });
  expect(other.accounts.map(({ mrr }) => mrr)).not.toEqual(company.accounts.map(({ mrr }) => mrr));
});

test("it has as many users as were asked for, and no address twice", () => {
  expect(company.people.length + company.stories.length).toBe(2_000);
  const addresses = [
    ...company.people.flatMap(({ user }) => user.email ?? []),
    ...company.stories.map(({ email }) => email),
  ];
  expect(new Set(addresses).size).toBe(addresses.length);
});

test("identifiers begin so that the demo can be told from other data", () => {
  const identifiers = [
    ...company.accounts.map(({ external_id }) => external_id),
    ...company.people.map(({ user }) => user.external_id ?? user.anonymous_ids?.[0]),
    ...company.stories.flatMap(({ externalId, anonymousIds }) => [externalId, ...anonymousIds]),
  ];
  expect(identifiers.filter((identifier) => !identifier?.startsWith("demo-"))).toEqual([]);
});

test("nothing is in the future, December is busy and weekends are quiet", () => {
  const times = company.people.flatMap(({ events }) => events.map(({ created_at }) => created_at));
  expect(times.filter((time) => Date.parse(time) > NOW)).toEqual([]);
  const inMonth = (month: string) => times.filter((time) => time.startsWith(month)).length;
  expect(inMonth("2025-12")).toBeGreaterThan(1.3 * inMonth("2026-01"));
  const onDay = (day: number) => times.filter((time) => new Date(time).getUTCDay() === day).length;
  expect(onDay(2)).toBeGreaterThan(2 * onDay(0));
});

test("the last move of a user leads to where the queries of the segments find the user now", () => {
  const accounts = new Map(company.accounts.map((account) => [account.external_id, account]));
  const isIn = new Map<string, Set<unknown>>();
  for (const person of company.people) {
    const account = accounts.get(person.user.account?.external_id ?? "");
    for (const { segment, entered } of movesOf(person, account, NOW).sort((one, other) => one.at - other.at)) {
      const members = isIn.get(segment) ?? new Set();
      isIn.set(segment, members);
      if (entered) members.add(person);
      else members.delete(person);
    }
  }
  const recently = (events: readonly { created_at: string }[], days: number) =>
    events.filter(({ created_at }) => Date.parse(created_at) > NOW - days * DAY_MS);
  const orders = (person: (typeof company.people)[number]) =>
    person.events.filter(({ event }) => event === "Order placed");
  const expected = {
    "Power users": company.people.filter((person) => recently(orders(person), 30).length >= 3),
    "New this week": company.people.filter(
      ({ user }) => recently([{ created_at: user.created_at }], 7).length > 0 && user.email,
    ),
    "Trial ending": company.people.filter(
      ({ user }) => user.plan === "trial" && Date.parse(String(user.trial_ends_at)) < NOW + 3 * DAY_MS,
    ),
  };
  for (const [segment, people] of Object.entries(expected)) {
    expect(people.length).toBeGreaterThan(0);
    expect([...(isIn.get(segment) ?? [])]).toEqual(expect.arrayContaining(people));
    expect(isIn.get(segment)?.size).toBe(people.length);
  }
});
