import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openOrganization, Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
  const ann = { user: { external_id: "ann" } };
  await sender.settle([
    sender.track(ann, "Ordered", { properties: { total: 20, cart: { items: 2 } }, source: "shop" }),
    sender.track(ann, "Ordered", { properties: { total: 30 }, source: "shop" }),
    sender.track(ann, "Ordered", { properties: { total: 30 }, created_at: "2020-01-01T00:00:00Z" }),
    sender.track(ann, "Viewed page"),
  ]);
});
afterAll(() => server.close());

const get = (path: string, headers: Record<string, string> = server.operatorHeaders) =>
  server.app.inject({ url: `/api/v1/events/${path}`, headers });

describe("the names of events", () => {
  test("are listed with their volume at all and lately", async () => {
    const answer = await get("names");
    expect(answer.headers["svc-total-count"]).toBe("2");
    expect(answer.json()).toMatchObject([
      {
        name: "Ordered",
        count: 3,
        last_24_hours: 2,
        last_7_days: 2,
        last_30_days: 2,
        first_at: "2020-01-01T00:00:00.000Z",
        emitted: false,
        sources: ["shop"],
        days: [...Array(29).fill(0), 2],
      },
      { name: "Viewed page", count: 1 },
    ]);
  });

  test("are found by a part of them, in pages and in another order", async () => {
    const names = async (query: string) =>
      (await get(`names?${query}`)).json<{ name: string }[]>().map((row) => row.name);
    expect(await names("text=ORDER")).toEqual(["Ordered"]);
    expect(await names("order=name&per_page=1&page=2")).toEqual(["Viewed page"]);
    expect((await get("names?order=other")).statusCode).toBe(400);
  });

  test("have properties, with types, frequency and values", async () => {
    expect((await get("properties?event=Ordered")).json()).toEqual({
      event: "Ordered",
      count: 3,
      sampled: 3,
      properties: [
        {
          name: "total",
          types: ["number"],
          count: 3,
          samples: [
            { value: 30, count: 2 },
            { value: 20, count: 1 },
          ],
        },
        { name: "cart.items", types: ["number"], count: 1, samples: [{ value: 2, count: 1 }] },
      ],
    });
    expect((await get("properties?event=Never")).json()).toMatchObject({ count: 0, properties: [] });
  });

  test("are of one organization", async () => {
    const other = await openOrganization(server, "others");
    expect((await get("names", other.headers)).json()).toEqual([]);
    expect((await get("properties?event=Ordered", other.headers)).json()).toMatchObject({ count: 0 });
  });
});
