import { DAY_MS } from "@muster/protocol";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { Sender } from "../../testing/sender.js";
import { openTestAudience, type TestAudience } from "../../testing/test-audience.js";
import { openTestServer, type TestServer } from "../../testing/test-server.js";

const WHO = { who: "a test" };

let server: TestServer;
let audience: TestAudience;
let organizationId: string;
beforeAll(async () => {
  server = await openTestServer();
  audience = openTestAudience(server);
  organizationId = server.first.organization.id;
  const sender = new Sender(server);
  const users = [3, 120, 121, 997].map((spent, index) =>
    sender.traits({ user: { external_id: String(index) } }, { spent, level: 5, seen_at: `2024-0${index + 1}-01` }),
  );
  await sender.settle(users);
});
afterAll(() => server.close());
afterEach(() => vi.restoreAllMocks());

const distribution = (key: string, type: "numeric" | "date") =>
  audience.charts.distribution(organizationId, "user", { key, type, size: 10, segmentId: undefined });

test("the bars of a histogram have a round width, and there are about twenty", async () => {
  const { histogram } = await distribution("traits_spent", "numeric");
  expect(histogram.filter(({ count }) => count > 0)).toEqual([
    { value: 0, count: 1 },
    { value: 100, count: 2 },
    { value: 950, count: 1 },
  ]);
});

test("a histogram of equal values has one bar", async () => {
  expect((await distribution("traits_level", "numeric")).histogram).toEqual([{ value: 5, count: 4 }]);
});

test("the bars of a histogram of dates are whole days wide", async () => {
  // 91 days divided by twenty bars, rounded up, is five days.
  const { histogram } = await distribution("traits_seen_at", "date");
  const starts = histogram.map(({ value }) => Date.parse(String(value)));
  expect(starts.slice(1).map((start, index) => (start - Number(starts[index])) / DAY_MS)).toEqual(
    starts.slice(1).map(() => 5),
  );
  expect(histogram.reduce((sum, { count }) => sum + count, 0)).toBe(4);
});

test("an attribute without values has no histogram", async () => {
  expect(await distribution("traits_unknown", "numeric")).toMatchObject({ total: 4, missing: 4, histogram: [] });
});

test("a chart of a segment ends with `to`, and counts back from the present size", async () => {
  const definition = { name: "Everybody", query: {}, predicate: {} };
  const { id } = await audience.segments.create(organizationId, "user", definition, WHO);
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  vi.spyOn(server.questions, "segmentSizes").mockResolvedValue(new Map([[id, 10]]));
  vi.spyOn(server.questions, "countMovesPerInterval").mockResolvedValue([
    { segmentId: id, start: today, entered: 5, left: 1 },
    { segmentId: id, start: today - DAY_MS, entered: 1, left: 2 },
  ]);
  const span = { from: new Date(today - 2 * DAY_MS), to: new Date(today - 1), interval: "day" } as const;
  const chart = await audience.charts.segment(organizationId, id, span);
  expect(chart?.points.map(({ size, entered, left }) => [size, entered, left])).toEqual([[6, 1, 2]]);
  expect((await audience.charts.segments(organizationId, span)).find(({ segment_id }) => segment_id === id)).toEqual(
    chart,
  );
});
