import { parseFunnel, parseRetention, parseTrend, startOfUnit } from "@muster/query";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sized } from "../../../../../../../testing/test-length.js";
import type { Questions } from "../../questions.js";
import { NOW } from "../dataset.test.data.js";
import { openEngine } from "../open-engine.js";
import { idOf, type Organization, openOrganization } from "../organization.test.kit.js";
import { eventOf, userDocument } from "../steps.test.kit.js";
import { insightsOf, TIME } from "./ask-insights.test.kit.js";
import { fits, HOUR_MS, modelFunnel, modelRetention, modelUsers, START, sorted } from "./model.test.kit.js";

let questions: Questions;
beforeAll(async () => {
  questions = await openEngine();
});
afterAll(() => questions.close());

const { funnel, retention, usersOf } = insightsOf(() => questions);

/** Events of a few users, many of them at the same moment. */
const historiesIn = (hours: { min: number; max: number }) =>
  fc.array(
    fc.record({
      user: fc.constantFrom("ann", "bob", "cid", "dan"),
      event: fc.constantFrom("A", "B", "C"),
      hours: fc.integer(hours),
    }),
    { maxLength: 40 },
  );
const histories = historiesIn({ min: -20, max: 230 });

type History = readonly { user: string; event: string; hours: number }[];

async function writeHistory(organization: Organization, history: History) {
  const events = history.map(({ user, event, hours: at }, index) =>
    eventOf(idOf(`e${String(index).padStart(3, "0")}`), idOf(user), {
      event,
      created_at: new Date(START + at * HOUR_MS).toISOString(),
    }),
  );
  await organization.writeUsers(...["ann", "bob", "cid", "dan"].map((name) => userDocument(idOf(name), {})));
  await organization.write({ events });
  return events;
}

test("trends of users, funnels and retention agree with a plain model, whatever users do", async () => {
  const requests = {
    steps: fc.array(fc.constantFrom({ event: "A" }, { event: "B" }, { event: "C" }, {}), {
      minLength: 2,
      maxLength: 4,
    }),
    hours: fc.integer({ min: 1, max: 72 }),
    unit: fc.constantFrom("h", "d", "w") as fc.Arbitrary<"h" | "d" | "w">,
  };
  await fc.assert(
    fc.asyncProperty(histories, requests.steps, requests.hours, requests.unit, async (history, steps, hours, unit) => {
      const organization = await openOrganization(questions);
      const events = await writeHistory(organization, history);
      const period = { from: START, to: Date.parse("2024-06-08T00:00:00.000Z") };

      const model = modelFunnel(events, steps.map(fits), period, hours * HOUR_MS);
      const who = (fit: (reached: number) => boolean) =>
        [...model].flatMap(([id, count]) => (fit(count) ? [id] : [])).toSorted();
      const reached = steps.map((_, place) => who((count) => count > place).length);
      const asked = { steps, within: `${hours}h` };
      expect(await funnel(organization, asked)).toEqual([{ slice: null, reached }]);
      const of = (step: number, hasDropped: boolean) => ({ kind: "funnel", step, hasDropped, slice: null }) as const;
      const parsed = parseFunnel({ ...TIME, ...asked }, { now: NOW });
      expect(await usersOf(organization, { funnel: parsed, ...of(1, false) })).toEqual(who((count) => count > 1));
      expect(await usersOf(organization, { funnel: parsed, ...of(0, true) })).toEqual(who((count) => count === 1));

      const interval = { h: "hour", d: "day", w: "week" }[unit] as "hour";
      const [start, back] = [steps[0]!, steps[1]!];
      const [active] = parseTrend({ ...TIME, interval, series: [{ ...start, measure: "users" }] }, { now: NOW });
      const context = { attributeTypes: organization.attributeTypes, now: NOW };
      const found = await questions.trend(organization.id, active!, context);
      const unitOf = (ms: number) => startOfUnit(ms, unit, "UTC");
      const users = modelUsers(events, fits(start), period, unitOf);
      expect(new Map(found.map((row) => [row.start, row.value]))).toEqual(users);
      const rows = await retention(organization, { start, return: back, interval });
      const cells = modelRetention(events, fits(start), fits(back), period, unitOf);
      expect(sorted(rows)).toEqual(sorted(cells));
      const cell = cells.at(-1);
      if (!cell) return;
      const cohorts = parseRetention({ ...TIME, start, return: back, interval }, { now: NOW });
      const returned = await usersOf(organization, { ...cell, kind: "retention", retention: cohorts });
      expect(returned).toEqual(cell.ids.toSorted());
    }),
    { numRuns: sized(15, 300) },
  );
});

test("units of different lengths, and hundreds of them, agree with a plain model", async () => {
  // Clocks change on 27 October and 30 March in Paris. Days before these have 25 and 23 hours.
  const time = { from: "2024-06-01", to: "2025-06-01", time_zone: "Europe/Paris", limit: 10 } as const;
  const DAY_HOURS = 24;
  const nearChanges = fc.oneof(
    historiesIn({ min: 0, max: 365 * DAY_HOURS }),
    historiesIn({ min: 146 * DAY_HOURS, max: 151 * DAY_HOURS }),
    historiesIn({ min: 301 * DAY_HOURS, max: 305 * DAY_HOURS }),
  );
  const choices = fc.constantFrom({ event: "A" }, { event: "B" }, {});
  const units = fc.constantFrom("d", "w", "M") as fc.Arbitrary<"d" | "w" | "M">;
  await fc.assert(
    fc.asyncProperty(nearChanges, choices, choices, units, async (history, start, back, unit) => {
      const organization = await openOrganization(questions);
      const events = await writeHistory(organization, history);
      const context = { attributeTypes: organization.attributeTypes, now: NOW };
      const interval = { d: "day", w: "week", M: "month" }[unit] as "day";
      const unitOf = (ms: number) => startOfUnit(ms, unit, time.time_zone);
      const series = (["users", "count"] as const).map((measure) => ({ ...start, measure }));
      const [users, count] = parseTrend({ ...time, interval, series }, context);
      const { period } = users!;
      const shown = async (one: typeof users) =>
        new Map((await questions.trend(organization.id, one!, context)).map((row) => [row.start, row.value]));
      expect(await shown(users)).toEqual(modelUsers(events, fits(start), period, unitOf));
      const counts = new Map<number, number>();
      for (const event of events.filter(fits(start))) {
        const at = Date.parse(event.created_at);
        if (at >= period.from && at < period.to) counts.set(unitOf(at), (counts.get(unitOf(at)) ?? 0) + 1);
      }
      expect(await shown(count)).toEqual(counts);
      const rows = await retention(organization, { ...time, start, return: back, interval });
      expect(sorted(rows)).toEqual(sorted(modelRetention(events, fits(start), fits(back), period, unitOf)));
    }),
    { numRuns: sized(6, 150) },
  );
});
