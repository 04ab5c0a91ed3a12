import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { VolumeRequest } from "../../event-figures.js";
import type { Questions } from "../../questions.js";
import { openEngine } from "../open-engine.js";
import { idOf, openOrganization } from "../organization.test.kit.js";
import { eventOf } from "../steps.test.kit.js";

const NOW = new Date("2024-06-30T12:00:00.000Z");
const ann = idOf("ann");
let questions: Questions;
let organizationId: string;

beforeAll(async () => {
  questions = await openEngine();
  const organization = await openOrganization(questions);
  organizationId = organization.id;
  const event = (name: string, fields: Parameters<typeof eventOf>[2]) => eventOf(idOf(name), ann, fields);
  await organization.write({
    events: [
      event("e1", { event: "Order", created_at: "2024-06-30T11:00:00.000Z", event_source: "shop" }),
      event("e2", { event: "Order", created_at: "2024-06-25T11:00:00.000Z", event_source: "app" }),
      event("e3", { event: "Order", created_at: "2024-06-05T11:00:00.000Z", event_source: "shop" }),
      event("e4", { event: "Order", created_at: "2020-01-01T00:00:00.000Z", event_source: "" }),
      event("e5", { event: "page \ufeff%", created_at: "2024-06-30T11:30:00.000Z" }),
      event("e6", { event: "Zebra", created_at: "2024-01-01T00:00:00.000Z", event_source: "platform" }),
      event("e7", { event: "Zebra", created_at: "2024-01-01T00:00:00.000Z", event_source: "platform" }),
    ],
  });
});

afterAll(() => questions.close());

const measure = (request: Partial<VolumeRequest> = {}, id = organizationId) =>
  questions.measureEvents(id, { order: "volume", without: [], limit: 10, offset: 0, now: NOW, ...request });

const namesOf = async (request: Partial<VolumeRequest>) => (await measure(request)).volumes.map(({ event }) => event);

describe("the volume of events", () => {
  test("is measured for the last day, 7 days, 30 days and at all, with the sources", async () => {
    const { total, volumes } = await measure();
    expect(total).toBe(3);
    expect(volumes.find(({ event }) => event === "Order")).toEqual({
      event: "Order",
      count: 4,
      emitted: false,
      firstAt: "2020-01-01T00:00:00.000Z",
      lastAt: "2024-06-30T11:00:00.000Z",
      lastDay: 1,
      last7Days: 2,
      last30Days: 3,
      sources: ["app", "shop"],
    });
    expect(volumes.find(({ event }) => event === "Zebra")).toMatchObject({
      emitted: true,
      last30Days: 0,
      sources: ["platform"],
    });
  });

  test("is listed in three orders", async () => {
    expect(await namesOf({ order: "volume" })).toEqual(["Order", "page \ufeff%", "Zebra"]);
    expect(await namesOf({ order: "name" })).toEqual(["Order", "Zebra", "page \ufeff%"]);
    expect(await namesOf({ order: "last" })).toEqual(["page \ufeff%", "Order", "Zebra"]);
  });

  test("leaves names out, with and without a part of the name, also after the last page", async () => {
    expect(await namesOf({ without: ["Order", "none"] })).toEqual(["page \ufeff%", "Zebra"]);
    expect(await namesOf({ without: ["Order", "page \ufeff%"], text: "e" })).toEqual(["Zebra"]);
    expect(await measure({ without: ["Order"], limit: 1, offset: 9 })).toEqual({ total: 2, volumes: [] });
  });

  test("is listed in pages, also after the last one", async () => {
    expect(await namesOf({ limit: 1, offset: 1 })).toEqual(["page \ufeff%"]);
    expect(await measure({ limit: 1, offset: 9 })).toEqual({ total: 3, volumes: [] });
  });

  test("is found by part of the name, in any case and without patterns", async () => {
    expect(await namesOf({ text: "RDE" })).toEqual(["Order"]);
    expect(await namesOf({ text: "%" })).toEqual(["page \ufeff%"]);
    expect(await measure({ text: "never", offset: 1 })).toEqual({ total: 0, volumes: [] });
  });

  test("of one organization has nothing of another", async () => {
    const other = await openOrganization(questions);
    expect(await measure({}, other.id)).toEqual({ total: 0, volumes: [] });
  });
});
