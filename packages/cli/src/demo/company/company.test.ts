import { expect, test } from "vitest";
import { createCompany } from "./company.js";

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
