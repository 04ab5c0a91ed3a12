import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Entry } from "../domain/entries/entry.js";
import type { ArrivedEntry } from "../domain/entries/recent-entry.js";
import { RecentEntries } from "./recent-entries.js";

const accepted = (event: string, email = "ann@example.com"): ArrivedEntry => ({
  outcome: "accepted",
  entry: {
    type: "track",
    at: 1_000,
    connectorId: "shop",
    subject: "user",
    user: { email },
    create: true,
    active: false,
    body: { event },
  } satisfies Entry,
});

let recent: RecentEntries;
beforeEach(() => {
  vi.useFakeTimers();
  recent = new RecentEntries();
});
afterEach(() => vi.useRealTimers());

const eventsOf = (organizationId: string, filter = {}, after = 0) =>
  recent.read(organizationId, filter, after).entries.map(({ event }) => event);

describe("recent entries", () => {
  test("are kept only after somebody has begun to watch the organization", () => {
    expect(recent.isWatched("acme")).toBe(false);
    recent.note("acme", [accepted("Early")]);
    expect(eventsOf("acme")).toEqual([]);
    expect([recent.isWatched("acme"), recent.isWatched("other")]).toEqual([true, false]);
    recent.note("acme", [accepted("Ordered")]);
    recent.note("other", [accepted("Secret")]);
    expect(eventsOf("acme")).toEqual(["Ordered"]);
    expect(eventsOf("other")).toEqual([]);
  });

  test("are read once each, with the number of the answer before", () => {
    const { after } = recent.read("acme", {});
    recent.note("acme", [accepted("A"), accepted("B")]);
    const first = recent.read("acme", {}, after);
    expect(first.entries.map(({ event }) => event)).toEqual(["A", "B"]);
    recent.note("acme", [accepted("C")]);
    expect(eventsOf("acme", {}, first.after)).toEqual(["C"]);
  });

  test("have the same id for all who watch, and numbers of their own for each", () => {
    recent.read("acme", {});
    vi.advanceTimersByTime(1_000);
    recent.read("acme", { event: "B" });
    recent.note("acme", [accepted("A"), accepted("B")]);
    const [, inAll] = recent.read("acme", {}).entries;
    const [alone] = recent.read("acme", { event: "B" }).entries;
    expect(alone?.id).toBe(inAll?.id);
    expect(alone?.number).not.toBe(inAll?.number);
  });

  test("of one organization stay when another one is watched in many ways", () => {
    eventsOf("acme");
    for (let number = 0; number < 100; number++) eventsOf("other", { user: `${number}@example.com` });
    recent.note("acme", [accepted("A")]);
    expect(eventsOf("acme")).toEqual(["A"]);
  });

  test("are forgotten 10 seconds after the last look", () => {
    eventsOf("acme");
    vi.advanceTimersByTime(8_000);
    recent.note("acme", [accepted("A")]);
    expect(eventsOf("acme")).toEqual(["A"]);
    vi.advanceTimersByTime(8_000);
    expect(recent.isWatched("acme")).toBe(true);
    vi.advanceTimersByTime(3_000);
    expect(recent.isWatched("acme")).toBe(false);
  });

  test("are bounded, and the reader learns how many are missing", () => {
    const { after } = recent.read("acme", {});
    recent.note("acme", [accepted("First")]);
    recent.note(
      "acme",
      Array.from({ length: 1_000 }, (_, at) => accepted(`E${at}`)),
    );
    const page = recent.read("acme", {}, after);
    expect([page.entries.length, page.missed]).toEqual([300, 701]);
    expect(page.entries.at(-1)).toMatchObject({ event: "E999", number: page.after });
    expect(recent.read("acme", {}, page.after)).toMatchObject({ entries: [], missed: 0 });
  });

  test("that a filter wants are not pushed out by others", () => {
    const filter = { user: "BOB@example.com", event: "Ordered" };
    eventsOf("acme", filter);
    recent.note("acme", [accepted("Ordered", "bob@example.com"), accepted("Viewed", "bob@example.com")]);
    recent.note(
      "acme",
      Array.from({ length: 1_000 }, () => accepted("Ordered")),
    );
    expect(eventsOf("acme", filter)).toEqual(["Ordered"]);
  });

  test("of an earlier watch are not confused with those of a later one", () => {
    recent.read("acme", {});
    recent.note("acme", [accepted("A")]);
    const { after, since } = recent.read("acme", {});
    vi.advanceTimersByTime(60_000);
    recent.read("acme", {}, after);
    recent.note("acme", [accepted("B")]);
    const later = recent.read("acme", {}, after);
    expect(later).toMatchObject({ entries: [{ event: "B" }], missed: 0 });
    expect(later.since).toBeGreaterThan(since);
  });
});
