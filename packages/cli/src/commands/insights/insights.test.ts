import { afterAll, beforeAll, expect, test } from "vitest";
import { type CliServer, openCliServer } from "../../testing/cli-server.js";

let served: CliServer;
const cli = (...args: string[]) => served.cli(args);
const json = (...args: string[]) => served.json(args);

beforeAll(async () => {
  served = await openCliServer();
  const input = (records: object[]) => ({ input: records.map((record) => JSON.stringify(record)).join("\n") });
  await served.json(
    ["import", "users", "-"],
    input([
      { external_id: "u1", name: "Ada", plan: "pro", seats: 3 },
      { external_id: "u2", name: "Bob", plan: "pro", seats: 1 },
      { external_id: "u3", name: "Cleo", plan: "free", seats: 5 },
    ]),
  );
  const event = (userId: string, name: string, timestamp: string) => ({ userId, event: name, timestamp });
  await served.json(
    ["import", "events", "-"],
    input([
      event("u1", "Signed up", "2026-01-05T10:00:00Z"),
      event("u2", "Signed up", "2026-01-05T11:00:00Z"),
      event("u1", "Ordered", "2026-01-06T10:00:00Z"),
    ]),
  );
});
afterAll(() => served.close());

const JANUARY = ["--from", "2026-01-05", "--to", "2026-01-07"];

test("trends, funnels and retention are tables for people, and the answer of the API with --json", async () => {
  const trend = await cli("insights", "trend", "Signed up", "Ordered", ...JANUARY);
  expect([trend.code, trend.stdout]).toEqual([
    0,
    "DAY         Signed up  Ordered\n2026-01-05  2          0\n2026-01-06  0          1\n",
  ]);
  const asked = await json("insights", "trend", "--measure", "users", ...JANUARY);
  expect(asked.series[0].points.map(({ value }: { value: number }) => value)).toEqual([2, 1]);
  const funnel = await cli("insights", "funnel", "Signed up", "Ordered", ...JANUARY);
  expect(funnel.stdout).toBe(
    "STEP       USERS  OF STEP BEFORE  OF FIRST STEP\nSigned up  2      100.0%          100.0%\nOrdered    1      50.0%           50.0%\n",
  );
  const split = await cli("insights", "funnel", "Signed up", "Ordered", "--breakdown", "user.name", ...JANUARY);
  expect(split.stdout).toMatch(/^VALUE +STEP/);
  const retention = await cli("insights", "retention", "--start", "Signed up", "--return", "Ordered", ...JANUARY);
  expect(retention.stdout).toMatch(/^DAY +USERS +\+0 +\+1\n2026-01-05 +2 +0\.0% +50\.0%\n/);
  expect((await cli("insights", "funnel", "Signed up")).stderr).toContain("Give the names of two events or more.");
});

test("saved insights are listed and run by name", async () => {
  expect((await cli("insights", "list")).stdout).toBe("No saved insights yet.\n");
  const question = {
    trend: { series: [{ event: "Ordered", measure: "count" }], from: "2026-01-05", to: "2026-01-07" },
  };
  const { app, operatorHeaders: headers } = served.server;
  const payload = { name: "Orders", question };
  expect((await app.inject({ method: "POST", url: "/api/v1/insights", headers, payload })).statusCode).toBe(201);
  expect((await cli("insights", "list")).stdout).toMatch(/^ID +NAME +KIND +ON HOME +UPDATED\n\d+ +Orders +trend +no +/);
  expect((await cli("insights", "run", "orders")).stdout).toBe("DAY         Ordered\n2026-01-05  0\n2026-01-06  1\n");
  expect((await cli("insights", "run", "Nothing")).stderr).toContain('There is no insight "Nothing"');
});

test("segments tell their overlap, their moves and their versions, and go back to a version", async () => {
  const create = (name: string, query: object) => json("segment", "create", name, "--query", JSON.stringify(query));
  await create("Pros", { term: { plan: "pro" } });
  await create("Large", { range: { seats: { gte: 3 } } });
  await expect
    .poll(async () => (await cli("segment", "overlap", "Pros", "Large")).stdout, { timeout: 20_000 })
    .toBe(
      [
        "Of 3 users:",
        "",
        "IN                     USERS  SHARE",
        "Pros            alone  1      33.3%",
        "Large           alone  1      33.3%",
        "Pros and Large         1      33.3%",
        "",
      ].join("\n"),
    );
  expect((await cli("segment", "overlap", "Pros")).stderr).toContain("Give two or three segments.");

  const moves = await json("segment", "moves", "Pros", "--only", "entered");
  expect(moves.map(({ subject }: { subject: { name: string } }) => subject.name).sort()).toEqual(["Ada", "Bob"]);
  expect((await cli("segment", "moves", "Pros", "--limit", "1")).stdout.trim().split("\n")).toHaveLength(2);
  expect((await cli("segment", "moves", "Pros", "--only", "left")).stdout).toBe("Nobody has entered or left yet.\n");

  await json("segment", "update", "Pros", "--query", '{"term": {"plan": "free"}}');
  expect((await json("segment", "versions", "Pros")).map(({ number }: { number: number }) => number)).toEqual([2, 1]);
  expect((await cli("segment", "restore", "Pros", "1")).stdout).toBe('"Pros" has the query of version 1 again.\n');
  expect((await cli("segment", "versions", "Pros")).stdout).toContain("(version 1 again)");
});
