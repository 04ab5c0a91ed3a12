import { DAY_MS } from "@muster/protocol";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openOrganization, Sender } from "../../../testing/sender.js";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
let sender: Sender;

const person = (name: string) => ({ user: { email: `${name}@example.com` } });
const day = (text: string) => new Date(`${text}T12:00:00Z`);

/** A small question with an answer of 85,000 points, all of them 0. */
const LARGE_TREND = {
  series: Array.from({ length: 10 }, () => ({ event: "Order" })),
  breakdown: "user.email",
  limit: 50,
  from: "2024-01-01",
  to: "2024-03-26",
  compare: true,
};

beforeAll(async () => {
  server = await openTestServer();
  sender = new Sender(server);
  await sender.settle([
    ...["ann", "bob", "cat", "dan"].map((name, index) =>
      sender.traits(person(name), {
        plan: index === 3 ? "free" : "pro",
        ...(index === 0 ? {} : { mrr: index * 10 }),
        joined_at: `2024-01-0${index + 1}`,
      }),
    ),
    sender.track(person("ann"), "Order", {}, day("2024-02-01")),
    sender.track(person("bob"), "Order", {}, day("2024-02-01")),
    sender.track(person("bob"), "Order", {}, day("2024-02-03")),
    sender.track(person("bob"), "Visit", {}, day("2024-02-03")),
    sender.track(person("bob"), "Visit", {}, day("2024-03-03")),
  ]);
});

afterAll(() => server.close());

async function chart(path: string) {
  const answer = await sender.call("GET", `/charts/${path}`);
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
  return answer.json();
}

async function filled(id: string, users: number): Promise<void> {
  const check = async () => expect((await sender.object(id)).stats).toEqual({ users });
  await vi.waitFor(check, { timeout: 10_000, interval: 50 });
}

describe("a chart of events", () => {
  const february = "from=2024-02-01T00:00:00Z&to=2024-02-03T23:59:59Z";

  test("counts them by day and name, with 0 for days without events, the most frequent name first", async () => {
    expect(await chart(`events?${february}`)).toEqual({
      interval: "day",
      series: [
        {
          event: "Order",
          total: 3,
          points: [
            { at: "2024-02-01T00:00:00.000Z", count: 2 },
            { at: "2024-02-02T00:00:00.000Z", count: 0 },
            { at: "2024-02-03T00:00:00.000Z", count: 1 },
          ],
        },
        {
          event: "Visit",
          total: 1,
          points: [
            { at: "2024-02-01T00:00:00.000Z", count: 0 },
            { at: "2024-02-02T00:00:00.000Z", count: 0 },
            { at: "2024-02-03T00:00:00.000Z", count: 1 },
          ],
        },
      ],
    });
  });

  test("counts only the requested names, also one that was never recorded", async () => {
    const { series } = await chart(`events?${february}&event=Visit&event=Never`);
    expect(series.map(({ event, total }: { event: string; total: number }) => [event, total])).toEqual([
      ["Visit", 1],
      ["Never", 0],
    ]);
  });

  test.for<[string, string[]]>([
    ["week", ["2024-01-29", "2024-02-05", "2024-02-12", "2024-02-19", "2024-02-26"]],
    ["month", ["2024-02-01", "2024-03-01"]],
  ])("counts them by %s", async ([interval, starts]) => {
    const span = "from=2024-02-01T00:00:00Z&to=2024-03-03T23:59:59Z";
    const { series } = await chart(`events?${span}&interval=${interval}&event=Visit`);
    const points: { at: string; count: number }[] = series[0].points;
    expect(points.map(({ at }) => at.slice(0, 10))).toEqual(starts);
    expect([points.at(0)?.count, points.at(-1)?.count]).toEqual([1, 1]);
  });

  test.for([
    "events?interval=minute",
    "events?from=yesterday",
    "events?from=0001-01-01T00:00:00Z",
    "events?interval=hour&from=2020-01-01T00:00:00Z",
  ])("is refused for %s", async (path) => {
    expect((await sender.call("GET", `/charts/${path}`)).statusCode).toBe(400);
  });
});

describe("a chart of an attribute", () => {
  test("has the most frequent values first", async () => {
    expect(await chart("user_traits/plan")).toEqual({
      key: "traits_plan",
      type: "string",
      total: 4,
      missing: 0,
      distinct: 2,
      top: [
        { value: "pro", count: 3 },
        { value: "free", count: 1 },
      ],
      histogram: [],
    });
    expect((await chart("user_traits/traits_plan?size=1")).top).toEqual([{ value: "pro", count: 3 }]);
  });

  test("of numbers has a histogram, and counts the users without a value", async () => {
    const { missing, histogram } = await chart("user_traits/mrr");
    expect(missing).toBe(1);
    expect(histogram.filter(({ count }: { count: number }) => count > 0)).toEqual([
      { value: 10, count: 1 },
      { value: 20, count: 1 },
      { value: 30, count: 1 },
    ]);
  });

  test("of dates has a histogram by day", async () => {
    const { histogram } = await chart("user_traits/joined_at");
    expect(histogram[0]).toEqual({ value: "2024-01-01T00:00:00.000Z", count: 1 });
    expect(histogram).toHaveLength(4);
  });

  test("can be limited to a segment, and can be of a standard field", async () => {
    const payload = { name: "Free", query: { term: { plan: "free" } }, predicate: {} };
    const { id } = (await sender.call("POST", "/users_segments", { payload })).json();
    await filled(id, 1);
    expect(await chart(`user_traits/email?segment_id=${id}`)).toMatchObject({
      total: 1,
      top: [{ value: "dan@example.com", count: 1 }],
    });
  });

  test.for(["user_traits/nothing", "account_traits/plan"])("that nobody has is 404: %s", async (path) => {
    expect((await sender.call("GET", `/charts/${path}`)).statusCode).toBe(404);
  });

  test("that is hidden is 404", async () => {
    await sender.call("PUT", "/settings/user_traits/mrr?visible=false");
    expect((await sender.call("GET", "/charts/user_traits/mrr")).statusCode).toBe(404);
    await sender.call("PUT", "/settings/user_traits/mrr?visible=true");
  });
});

describe("a chart of a segment", () => {
  test("has its size over time, up to the present size", async () => {
    await sender.settle(["ann", "bob"].map((name) => sender.traits(person(name), { plan: "free" })));
    const payload = { name: "Pros", query: { term: { plan: "pro" } }, predicate: {} };
    const { id } = (await sender.call("POST", "/users_segments", { payload })).json();
    await filled(id, 1);
    // The segment began two days ago, with cat alone.
    await server.database.query("update segments set created_at = now() - interval '2 days' where id = $1", [id]);
    await sender.settle(["ann", "bob"].map((name) => sender.traits(person(name), { plan: "pro" })));
    await filled(id, 3);
    await sender.settle([sender.traits(person("ann"), { plan: "free" })]);
    await sender.settle([sender.traits(person("ann"), { plan: "pro" })]);
    await sender.settle([sender.traits(person("bob"), { plan: "free" })]);
    const from = new Date(Date.now() - 3 * DAY_MS).toISOString();
    const { points } = await chart(`segments/${id}?from=${from}`);
    expect(points.map(({ size }: { size: number }) => size)).toEqual([1, 1, 2]);
    expect(points.at(-1).at).toBe(`${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`);
  });

  test("is refused beside others when together they have too many points", async () => {
    const other = await openOrganization(server, "many-segments");
    const names = Array.from({ length: 51 }, (_, place) => `Segment ${place}`);
    await Promise.all(
      names.map((name) =>
        other.call("POST", "/users_segments", { payload: { name, query: { match_none: {} }, predicate: {} } }),
      ),
    );
    const since = (days: number) => `/charts/segments?from=${new Date(Date.now() - days * DAY_MS).toISOString()}`;
    const hours = await other.call("GET", `${since(83)}&interval=hour`);
    expect([hours.statusCode, hours.json().error.message]).toEqual([400, expect.stringContaining("100000 points")]);
    // Sizes are counted back from the present one, so an earlier end is no way out, and a later beginning is.
    const early = await other.call(
      "GET",
      `${since(83)}&to=${new Date(Date.now() - 80 * DAY_MS).toISOString()}&interval=hour`,
    );
    expect([early.statusCode, early.json().error.message]).toEqual([400, expect.stringContaining("a later `from`")]);
    const days = await other.call("GET", since(30));
    expect([days.statusCode, days.json().segments.length]).toEqual([200, 51]);
  });

  test("of an unknown segment is 404", async () => {
    expect((await sender.call("GET", "/charts/segments/000000000000200000000000")).statusCode).toBe(404);
  });
});

describe("insights", () => {
  const february = { from: "2024-02-01", to: "2024-02-04" };
  const ask = (path: string, payload: object) => sender.call("POST", `/insights/${path}`, { payload });

  test("a trend has a point for each day, by series and by the values of a breakdown", async () => {
    const series = [{ event: "Order" }, { measure: "users" }];
    const points = (...values: number[]) =>
      values.map((value, index) => ({ at: `2024-02-0${index + 1}T00:00:00.000Z`, value }));
    expect((await ask("trend", { series, ...february })).json()).toEqual({
      interval: "day",
      from: "2024-02-01T00:00:00.000Z",
      to: "2024-02-04T00:00:00.000Z",
      series: [
        { series: 0, breakdown: null, points: points(2, 0, 1) },
        { series: 1, breakdown: null, points: points(2, 0, 1) },
      ],
    });
    const byEmail = (await ask("trend", { series, ...february, breakdown: "user.email", limit: 1 })).json();
    expect(byEmail.series).toEqual([
      { series: 0, breakdown: "bob@example.com", points: points(1, 0, 1) },
      { series: 1, breakdown: "bob@example.com", points: points(1, 0, 1) },
    ]);
  });

  test("a funnel tells who comes how far, and retention who comes back", async () => {
    const steps = [{ event: "Order" }, { event: "Visit" }];
    const { groups } = (await ask("funnel", { steps, within: "2d", ...february })).json();
    expect(groups).toEqual([
      {
        breakdown: null,
        steps: [
          { users: 2, of_first: 1, of_before: 1 },
          { users: 1, of_first: 0.5, of_before: 0.5 },
        ],
      },
    ]);
    const { cohorts } = (
      await ask("retention", { start: { event: "Order" }, interval: "month", from: "2024-02-01", to: "2024-04-01" })
    ).json();
    expect(cohorts).toEqual([
      { at: "2024-02-01T00:00:00.000Z", users: 2, returned: [1, 1] },
      { at: "2024-03-01T00:00:00.000Z", users: 0, returned: [0] },
    ]);
  });

  test("a trend compares with the time before, and shows the size of a segment", async () => {
    const made = await sender.call("POST", "/users_segments", {
      payload: { name: "Everybody of insights", query: { match_all: {} }, predicate: {} },
    });
    const { id } = made.json<{ id: string }>();
    const answer = (await ask("trend", { series: [{ event: "Order" }], ...february, compare: true })).json();
    expect(answer.previous).toMatchObject({ from: "2024-01-29T00:00:00.000Z", to: "2024-02-01T00:00:00.000Z" });
    expect(answer.previous.series[0].points).toHaveLength(answer.series[0].points.length);
    const sliced = { series: [{ event: "Order" }], ...february, compare: true, breakdown: "user.email", limit: 1 };
    const byEmail = (await ask("trend", sliced)).json();
    expect(byEmail.previous.series.map((one: { breakdown: string }) => one.breakdown)).toEqual(["bob@example.com"]);
    const [sizes] = (await ask("trend", { series: [{ segment: id }], from: "now-2d/d" })).json().series;
    // Nothing is known of the time before the segment was created.
    expect(sizes.points.map(({ value }: { value: number | null }) => value)).toEqual([null, null, expect.any(Number)]);
  });

  test("the users behind a number are listed page by page, and can become a segment", async () => {
    const funnel = { steps: [{ event: "Order" }, { event: "Visit" }], within: "2d", ...february };
    const dropped = { question: { funnel }, number: { step: 0, dropped: true } };
    const emails = async (payload: object) => {
      const { users, next } = (await ask("users", payload)).json();
      return { emails: users.map(({ email }: { email: string }) => email), next };
    };
    const { emails: lost, next } = await emails(dropped);
    expect(lost).toHaveLength(1);
    expect(next).toBeNull();
    const first = await emails({ question: { funnel }, per_page: 1 });
    const second = await emails({ question: { funnel }, per_page: 1, after: first.next });
    expect(new Set([...first.emails, ...second.emails]).size).toBe(2);
    expect(second.next).toBeNull();
    const trend = { series: [{ event: "Order" }], ...february };
    const bar = { question: { trend }, number: { at: "2024-02-03T00:00:00.000Z" } };
    expect((await emails(bar)).emails).toEqual(["bob@example.com"]);
    const later = { series: [{ event: "Order" }], from: "2024-02-04", to: "2024-02-07", compare: true };
    const before = { previous: true, at: "2024-02-03T00:00:00.000Z" };
    expect((await emails({ question: { trend: later }, number: before })).emails).toEqual(["bob@example.com"]);
    const retention = { start: { event: "Order" }, interval: "month", from: "2024-02-01", to: "2024-04-01" };
    const cohort = { at: "2024-02-01T00:00:00.000Z" };
    expect((await emails({ question: { retention }, number: cohort })).emails).toHaveLength(2);
    const cell = { ...cohort, back: "2024-03-01T00:00:00.000Z" };
    expect((await emails({ question: { retention }, number: cell })).emails).toHaveLength(1);

    const made = await ask("segment", { ...dropped, name: "Dropped after ordering" });
    expect(made.statusCode).toBe(201);
    const { query } = made.json<{ query: { terms: { id: string[] } } }>();
    const { data } = (await sender.call("POST", "/search/user_reports", { payload: { query } })).json();
    expect(data.map(({ email }: { email: string }) => email)).toEqual(lost);
  });

  test("the numbers of an insight are CSV too", async () => {
    const funnel = { steps: [{ event: "Order" }, { event: "Visit" }], within: "2d", ...february };
    const answer = await ask("csv", { funnel });
    expect(answer.headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(answer.body).toBe("breakdown,step,users,of_first,of_before\r\n,0,2,1,1\r\n,1,1,0.5,0.5\r\n");
    const trend = { series: [{ event: "Order" }], ...february, compare: true };
    expect((await ask("csv", { trend })).body.split("\r\n")).toHaveLength(1 + 2 * 3 + 1);
  });

  test("an insight is saved under a name of its own, put on the home, and removed", async () => {
    const question = { funnel: { steps: [{ event: "Order" }, { event: "Visit" }] } };
    const save = (name: string) => sender.call("POST", "/insights", { payload: { name, question } });
    const [one, two] = [(await save("Orders")).json(), (await save("Visits")).json()];
    expect(one).toMatchObject({ name: "Orders", home_place: null, question: { funnel: { within: "7d" } } });
    expect((await save(" orders ")).statusCode).toBe(409);
    const arrange = (...ids: number[]) => sender.call("PUT", "/insights/home", { payload: { ids } });
    const names = (answer: Awaited<ReturnType<typeof arrange>>) =>
      answer.json().map(({ name, home_place }: { name: string; home_place: number }) => `${home_place} ${name}`);
    expect(names(await arrange(one.id, two.id))).toEqual(["0 Orders", "1 Visits"]);
    expect(names(await arrange(two.id, one.id))).toEqual(["0 Visits", "1 Orders"]);
    expect((await arrange(two.id, 9_999_999)).statusCode).toBe(400);
    expect(names(await arrange(one.id))).toEqual(["0 Orders"]);
    const renamed = await sender.call("PUT", `/insights/${one.id}`, { payload: { name: "Orders first" } });
    expect(renamed.json()).toMatchObject({ name: "Orders first", question: one.question, home_place: 0 });

    const other = await openOrganization(server, "without-insights");
    expect((await other.call("GET", "/insights")).json()).toEqual([]);
    expect((await other.call("PUT", `/insights/${one.id}`, { payload: { name: "x" } })).statusCode).toBe(404);
    expect((await other.call("PUT", "/insights/home", { payload: { ids: [one.id] } })).statusCode).toBe(400);
    expect((await other.call("DELETE", `/insights/${one.id}`)).statusCode).toBe(404);
    expect((await sender.call("DELETE", `/insights/${one.id}`)).json()).toEqual({ id: one.id, deleted: true });
  });

  test.for<[string, object, string]>([
    ["users", { question: { trend: { series: [{}] } }, number: { series: 3 } }, "number.series"],
    ["users", { question: { trend: { series: [{}] } }, number: { at: "2024-01-01T01:00:00Z" } }, "number.at"],
    ["users", { question: { funnel: { steps: [{}, {}] } }, number: { step: 1, dropped: true } }, "number.step"],
    ["users", { question: { retention: {} } }, "number.at"],
    ["users", { question: {} }, "question"],
    ["segment", { question: { trend: { series: [{ event: "Never" }] } }, name: "Nobody" }, "no user"],
    ["trend", { series: [{ segment: "x", event: "Order" }] }, "series.0.segment"],
    ["trend", { series: [{ segment: "x" }], time_zone: "Europe/Paris" }, "time_zone"],
    ["trend", { series: [{ segment: "nothing" }] }, "no segment"],
    ["trend", { series: [{ event: "Order" }], from: "1990-01-01", interval: "hour" }, "more than 2000 intervals"],
    ["trend", LARGE_TREND, "50000 points"],
    ["csv", { trend: LARGE_TREND }, "50000 points"],
    ["trend", { series: [{ measure: "sum" }] }, "series.0.property"],
    ["funnel", { steps: [{ event: "Order" }] }, "steps"],
    ["funnel", { steps: [{}, {}], within: "soon" }, "within"],
    ["retention", { start: { event: "" } }, "start"],
    ["retention", { nothing: true }, "nothing"],
  ])("a %s that cannot be answered is refused with its place: %o", async ([path, payload, text]) => {
    const answer = await ask(path, payload);
    expect(answer.statusCode).toBe(400);
    expect(answer.body).toContain(text);
  });
});
