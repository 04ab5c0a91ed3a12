import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Interval, startOf } from "../../../../domain/charts/intervals.js";
import type { Questions } from "../../questions.js";
import { openEngine } from "../open-engine.js";
import { evaluationOf, idOf, type Organization, openOrganization } from "../organization.test.kit.js";
import { eventOf, userDocument } from "../steps.test.kit.js";

let questions: Questions;

beforeAll(async () => {
  questions = await openEngine();
});

afterAll(() => questions.close());

const ann = idOf("ann");

describe("events per interval", () => {
  // 2024-06-03 is a Monday.
  const MOMENTS: [event: string, at: string][] = [
    ["Order", "2024-05-31T23:59:59.999Z"],
    ["Order", "2024-06-01T00:00:00.000Z"],
    ["Order", "2024-06-02T23:30:00.000Z"],
    ["Order", "2024-06-03T00:00:00.000Z"],
    ["Page", "2024-06-03T00:59:59.999Z"],
    ["Page", "2024-06-03T01:00:00.000Z"],
    ["Login", "2024-06-03T12:00:00.000Z"],
    ["Login", "2024-06-04T12:00:00.000Z"],
    ["Rare", "2024-06-04T12:00:00.000Z"],
    ["Old", "2020-01-01T00:00:00.000Z"],
    ["Old", "2020-01-01T00:00:00.000Z"],
    ["Old", "2020-01-01T00:00:00.000Z"],
    ["Older", "1969-12-31T23:59:59.999Z"],
  ];
  let organization: Organization;

  beforeAll(async () => {
    organization = await openOrganization(questions);
    const events = MOMENTS.map(([event, created_at], index) => eventOf(idOf(`e${index}`), ann, { event, created_at }));
    await organization.write({ events });
  });

  async function count(
    interval: Interval,
    which: { names?: string[]; top: number },
    from = "2024-01-01T00:00:00.000Z",
    to = "2024-12-31T00:00:00.000Z",
  ) {
    const span = { from: new Date(from), to: new Date(to), interval };
    const rows = await questions.countEventsPerInterval(organization.id, span, which);
    return rows
      .map(({ event, start, count: times }) => `${event} ${new Date(start).toISOString().slice(0, 16)} ${times}`)
      .sort();
  }

  /** The same figures, computed without an engine. */
  function expected(interval: Interval, names: readonly string[], from = "2024-01-01T00:00:00.000Z") {
    const counts = new Map<string, number>();
    for (const [event, at] of MOMENTS) {
      if (!names.includes(event) || at < from) continue;
      const key = `${event} ${new Date(startOf(interval, Date.parse(at))).toISOString().slice(0, 16)}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return Array.from(counts, ([key, times]) => `${key} ${times}`).sort();
  }

  test.for<Interval>(["hour", "day", "week", "month"])("are counted for each %s that has some", async (interval) => {
    const names = ["Order", "Page", "Login", "Rare"];
    expect(await count(interval, { top: 10 })).toEqual(expected(interval, names));
    expect(await count(interval, { names, top: 10 })).toEqual(expected(interval, names));
  });

  test("have weeks that start on Monday", async () => {
    expect(await count("week", { names: ["Order"], top: 1 })).toEqual([
      "Order 2024-05-27T00:00 3",
      "Order 2024-06-03T00:00 1",
    ]);
  });

  test("are those of the given names, even if there are none", async () => {
    expect(await count("month", { names: ["Rare", "Unknown"], top: 1 })).toEqual(["Rare 2024-06-01T00:00 1"]);
    expect(await count("month", { names: [], top: 10 })).toEqual([]);
  });

  test("are the most frequent within the span, and of equally frequent ones the first by name", async () => {
    expect(await count("month", { top: 1 })).toEqual(["Order 2024-05-01T00:00 1", "Order 2024-06-01T00:00 3"]);
    expect(await count("month", { top: 2 })).toEqual([
      "Login 2024-06-01T00:00 2",
      "Order 2024-05-01T00:00 1",
      "Order 2024-06-01T00:00 3",
    ]);
  });

  test("are within the span, including its ends", async () => {
    const [from, to] = ["2024-06-01T00:00:00.000Z", "2024-06-03T00:00:00.000Z"];
    expect(await count("day", { top: 10 }, from, to)).toEqual([
      "Order 2024-06-01T00:00 1",
      "Order 2024-06-02T00:00 1",
      "Order 2024-06-03T00:00 1",
    ]);
  });

  test("may be before 1970", async () => {
    const [from, to] = ["1900-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z"];
    expect(await count("day", { top: 10 }, from, to)).toEqual(["Older 1969-12-31T00:00 1"]);
    expect(await count("month", { top: 10 }, from, to)).toEqual(["Older 1969-12-01T00:00 1"]);
  });
});

describe("moves per interval", () => {
  const span = { from: new Date("2024-01-01T00:00:00.000Z"), interval: "day" } as const;

  async function moves({ id }: Organization, segment = "buyers", options: { from: Date; interval: Interval } = span) {
    const rows = await questions.countMovesPerInterval(id, options, [idOf(segment)]);
    return Object.fromEntries(
      rows
        .map(({ start, entered, left }) => ({ start, change: entered - left }))
        .filter(({ change }) => change !== 0)
        .map(({ start, change }) => [new Date(start).toISOString().slice(0, 10), change] as const)
        .sort(),
    );
  }

  const on = (day: string, move: Parameters<typeof evaluationOf>[1], segment = "buyers") => ({
    evaluation: evaluationOf(segment, move, `${day}T12:00:00.000Z`),
  });

  test("are the subjects that entered minus those that left", async () => {
    const organization = await openOrganization(questions);
    await organization.write(on("2024-06-01", { entered: ["ann", "bob", "cat"] }));
    await organization.write(on("2024-06-02", { entered: ["dan"], left: ["ann", "bob"] }));
    await organization.write(on("2024-06-03", { entered: ["ann"] }));
    await organization.write(on("2024-06-03", { left: ["ann"] }, "others"));
    expect(await moves(organization)).toEqual({ "2024-06-01": 3, "2024-06-02": -1, "2024-06-03": 1 });
    expect(await moves(organization, "buyers", { ...span, interval: "month" })).toEqual({ "2024-06-01": 3 });
    expect(await moves(organization, "others")).toEqual({ "2024-06-03": -1 });
    expect(await moves(organization, "nobody")).toEqual({});
  });

  test("start at the given time", async () => {
    const organization = await openOrganization(questions);
    await organization.write(on("2024-06-01", { entered: ["ann", "bob"] }));
    await organization.write(on("2024-06-02", { left: ["ann"] }));
    const from = new Date("2024-06-02T00:00:00.000Z");
    expect(await moves(organization, "buyers", { ...span, from })).toEqual({ "2024-06-02": -1 });
  });

  test("are counted for accounts", async () => {
    const organization = await openOrganization(questions);
    await organization.write(on("2024-06-01", { subjectType: "account", entered: ["acme", "globex"] }));
    await organization.write(on("2024-06-02", { subjectType: "account", left: ["acme"] }));
    expect(await moves(organization)).toEqual({ "2024-06-01": 2, "2024-06-02": -1 });
  });

  test("count two subjects that were merged later as one", async () => {
    const organization = await openOrganization(questions);
    await organization.writeUsers(userDocument(ann, {}), userDocument(idOf("bob"), {}));
    await organization.write(on("2024-06-01", { entered: ["ann"] }));
    await organization.write(on("2024-06-02", { entered: ["bob"] }));
    expect(await moves(organization)).toEqual({ "2024-06-01": 1, "2024-06-02": 1 });
    await organization.write({ merges: [{ kind: "user", survivor: ann, loser: idOf("bob"), hasEvents: true }] });
    expect(await moves(organization)).toEqual({ "2024-06-01": 1 });
    await organization.write(on("2024-06-03", { left: ["ann"] }));
    expect(await moves(organization)).toEqual({ "2024-06-01": 1, "2024-06-03": -1 });
  });

  test("are counted for several segments at once, those who entered apart from those who left", async () => {
    const organization = await openOrganization(questions);
    await organization.write(on("2024-06-01", { entered: ["ann", "bob", "cat"] }));
    await organization.write(on("2024-06-02", { entered: ["dan"], left: ["ann", "bob"] }));
    await organization.write(on("2024-06-02", { entered: ["ann"] }, "others"));
    const count = async (...given: [from: string, segments?: string[]]) => {
      const [from, segments] = given;
      const start = { from: new Date(`${from}T00:00:00.000Z`), interval: "day" } as const;
      const rows = await questions.countMovesPerInterval(organization.id, start, segments?.map(idOf));
      const names = new Map(["buyers", "others"].map((name) => [idOf(name), name]));
      return rows
        .map(
          (row) =>
            `${new Date(row.start).toISOString().slice(8, 10)} ${names.get(row.segmentId)} +${row.entered} -${row.left}`,
        )
        .sort();
    };
    expect(await count("2024-01-01")).toEqual(["01 buyers +3 -0", "02 buyers +1 -2", "02 others +1 -0"]);
    expect(await count("2024-06-02", ["buyers"])).toEqual(["02 buyers +1 -2"]);
    expect(await count("2024-06-02", [])).toEqual([]);
  });

  test("leave out those who were in a segment when it was created", async () => {
    const organization = await openOrganization(questions);
    await organization.write(on("2024-05-01", { entered: ["ann"] }));
    await organization.write(on("2024-06-01", { entered: ["ann", "bob"], isFirst: true }));
    await organization.write(on("2024-06-02", { entered: ["cat"], left: ["ann", "bob"] }));
    expect(await moves(organization)).toEqual({ "2024-05-01": 1, "2024-06-02": -1 });
  });

  test("are Muster's own events only, not those of connectors with the same name", async () => {
    const organization = await openOrganization(questions);
    const properties = { segment_id: idOf("buyers") };
    await organization.write({ events: [eventOf(idOf("e1"), ann, { event: "Entered segment", properties })] });
    expect(await moves(organization)).toEqual({});
  });
});
