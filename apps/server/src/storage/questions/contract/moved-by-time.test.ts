import { movedByTime, parse } from "@muster/query";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sized } from "../../../../../../testing/test-length.js";
import type { Questions } from "../questions.js";
import { openEngine } from "./open-engine.js";
import { idOf, openOrganization } from "./organization.test.kit.js";
import { eventOf, userDocument } from "./steps.test.kit.js";

let questions: Questions;
beforeAll(async () => {
  questions = await openEngine();
});
afterAll(() => questions.close());

const HOUR = 3_600_000;
const START = Date.parse("2026-03-01T00:00:00Z");
const at = (hours: number) => new Date(START + hours * HOUR);

const within = (bounds: object) => ({ range: { created_at: bounds } });
const did = (query: object, counts: object = {}) => ({ has_child: { type: "event", query, ...counts } });
const QUERIES = [
  { range: { traits_due_at: { gte: "now-5h" } } },
  { range: { traits_due_at: { gt: "now-2d/d", lte: "now+1d/d" } } },
  { range: { traits_due_at: { gte: "now-1d/d", time_zone: "Asia/Kolkata" } } },
  { term: { traits_due_at: "now-1d/d" } },
  did(within({ gte: "now-7h" })),
  did({ bool: { must: [{ term: { event: "Order" } }, within({ gte: "now-1d" })] } }, { min_children: 2 }),
  {
    bool: {
      must_not: did({ bool: { must: [{ term: { event: "Visit" } }, within({ gte: "now-30h", lt: "now-3h" })] } }),
    },
  },
  did({ bool: { must: [{ term: { "properties.plan": "pro" } }, within({ gte: "now-9h" })] } }),
  did({ range: { "properties.until": { gte: "now-4h" } } }),
  {
    bool: {
      must: [
        { exists: { field: "traits_due_at" } },
        { bool: { should: [did(within({ lte: "now-20h" })), { range: { created_at: { gt: "now-8h" } } }] } },
      ],
    },
  },
].map((query) => parse(query, { target: "user" }));

const hours = fc.integer({ min: 0, max: 72 });
const event = fc.record({
  name: fc.constantFrom("Order", "Visit", "Quit"),
  hour: hours,
  plan: fc.constantFrom("pro", "free"),
  until: hours,
});
const user = fc.record({ due: fc.option(hours), created: hours, events: fc.array(event, { maxLength: 4 }) });

test("whoever has moved because of the time alone is found by the query, on any data and in any span, also a backward one", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(user, { minLength: 1, maxLength: 12 }), hours, hours, async (users, from, to) => {
      const organization = await openOrganization(questions, { user: { traits_due_at: "date" } });
      const documents = users.map(({ due, created }, index) =>
        userDocument(
          idOf(`u${index}`),
          { traits_due_at: due === null ? null : at(due).toISOString() },
          { createdAt: at(created).toISOString() },
        ),
      );
      const events = users.flatMap(({ events: of }, index) =>
        of.map(({ name, hour, plan, until }, place) =>
          eventOf(idOf(`e${index}x${place}`), idOf(`u${index}`), {
            event: name,
            created_at: at(hour).toISOString(),
            properties: { plan, until: at(until).toISOString() },
          }),
        ),
      );
      await organization.write({ events }, { users: { written: documents } });
      const segments = QUERIES.map((query, index) => ({ id: idOf(`s${index}`), query }));
      const reading = (hour: number) =>
        ({ target: "user", attributeTypes: organization.attributeTypes, now: at(hour) }) as const;
      const before = await questions.changesOfSegments(organization.id, segments, { limit: 100 }, reading(from));
      const moves = segments.map(({ id: segmentId }) => ({
        segmentId,
        segmentName: segmentId,
        subjectType: "user" as const,
        entered: before.filter(({ entered }) => entered.includes(segmentId)).map(({ id }) => id),
        left: [],
      }));
      await organization.write({ evaluation: { at: at(from).toISOString(), moves } });

      const among = movedByTime(QUERIES, { from: at(from), to: at(to) });
      const all = await questions.changesOfSegments(organization.id, segments, { limit: 100 }, reading(to));
      const found = among
        ? await questions.changesOfSegments(organization.id, segments, { limit: 100, among }, reading(to))
        : [];
      expect(sorted(found)).toEqual(sorted(all));
    }),
    { numRuns: sized(10, 75) },
  );
});

test("nobody moves while all dates that a query names stay the same", () => {
  const daily = parse({ range: { created_at: { gte: "now-7d/d" } } }, { target: "user" });
  expect(movedByTime([daily], { from: at(1), to: at(2) })).toBeUndefined();
  expect(movedByTime([daily], { from: at(1), to: at(25) })).toBeDefined();
  expect(movedByTime([parse({ match_all: {} }, { target: "user" })], { from: at(1), to: at(2) })).toBeUndefined();
});

function sorted(moves: readonly { id: string; entered: readonly string[]; left: readonly string[] }[]) {
  return moves
    .map(({ id, entered, left }) => ({ id, entered: [...entered].sort(), left: [...left].sort() }))
    .sort((one, other) => one.id.localeCompare(other.id));
}
