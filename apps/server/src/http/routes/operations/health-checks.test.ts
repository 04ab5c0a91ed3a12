import { afterAll, beforeAll, expect, test } from "vitest";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
});
afterAll(() => server.close());

interface Check {
  name: string;
  status: string;
  message: string;
  advice: string;
}

async function checks(): Promise<Check[]> {
  const answer = await server.app.inject({ url: "/api/v1/health_checks", headers: server.operatorHeaders });
  expect(answer.statusCode).toBe(200);
  return answer.json();
}

test("a healthy server says so about everything it needs", async () => {
  const found = await checks();
  expect(found.map(({ name }) => name)).toEqual([
    "PostgreSQL",
    "Clocks",
    "Question engine",
    "Disk",
    "Pipeline",
    "Address",
    "Mail",
  ]);
  expect(found.filter(({ name, status }) => name !== "Disk" && status !== "good")).toEqual([]);
  expect(found.find(({ name }) => name === "Disk")?.message).toMatch(/of \d+\.\d GB are free/);
});

test("a stage that fails is named with what to do", async () => {
  await server.database.query(
    "insert into stage_problems (organization_id, stage, message, since) select id, 'project', 'It stands still.', now() from organizations",
  );
  const found = await checks();
  expect(found.find(({ name }) => name === "Stage project")).toMatchObject({
    status: "bad",
    message: "It stands still.",
    advice: expect.stringContaining("Nothing is lost"),
  });
});

test("what is kept for how long is listed with its setting", async () => {
  const answer = await server.app.inject({ url: "/api/v1/retention", headers: server.operatorHeaders });
  expect(answer.json()).toContainEqual({ what: "Files of extracts", days: 7, setting: "EXTRACT_RETENTION_DAYS" });
  expect(answer.json()[0]).toMatchObject({ days: null, setting: null });
});
