import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
beforeAll(async () => {
  server = await openTestServer();
  await server.listen();
});
afterAll(() => server.close());

interface Check {
  name: string;
  status: string;
  message: string;
  advice: string;
}

async function checks(headers = server.operatorHeaders): Promise<Check[]> {
  const answer = await server.app.inject({ url: "/api/v1/health_checks", headers });
  expect(answer.statusCode).toBe(200);
  return answer.json();
}

test("a healthy server says so about everything it needs", async () => {
  // A role is known to others a moment after it has started.
  const found = await vi.waitFor(
    async () => {
      const present = await checks();
      expect(present.find(({ name }) => name === "Processes")).toMatchObject({ status: "good" });
      return present;
    },
    { timeout: 20_000, interval: 50 },
  );
  expect(found.map(({ name }) => name)).toEqual([
    "PostgreSQL",
    "Clocks",
    "Question engine",
    "Disk",
    "Pipeline",
    "Deliveries",
    "Versions",
    "Processes",
    "Sizes",
    "Connections",
    "Lag of apply",
    "Lag of search",
    "Connectors",
    "Bundled connectors",
    "Address",
    "Mail",
  ]);
  expect(found.filter(({ name, status }) => name !== "Disk" && status !== "good")).toEqual([]);
  expect(found.find(({ name }) => name === "Disk")?.message).toMatch(/of \d+\.\d GB are free/);
});

test("an operator sees versions and sizes of the whole server, and a connector does not", async () => {
  const found = await checks();
  const messageOf = (wanted: string) => found.find(({ name }) => name === wanted)?.message;
  expect(messageOf("Versions")).toMatch(
    /^Muster \d+\.\d+\.\d+ on Node\.js \d+\..+, PostgreSQL \d+\.\d+, (DuckDB|ClickHouse) \d.+\. Schema \d{4}-.+\.$/,
  );
  expect(messageOf("Sizes")).toMatch(/^The database has \d+\.\d MB \(\w+ .+\)\./);
  const names = (await checks(server.connectorHeaders)).map(({ name }) => name);
  expect(names).toEqual([
    "PostgreSQL",
    "Clocks",
    "Question engine",
    "Disk",
    "Pipeline",
    "Deliveries",
    "Address",
    "Mail",
  ]);
});

test("the operator is told which roles no running process has", async () => {
  await server.database.query("update lease_holders set roles = array_remove(array_remove(roles, 'jobs'), 'deliver')");
  const found = (await checks()).find(({ name }) => name === "Processes");
  expect(found).toMatchObject({
    status: "bad",
    message: expect.stringContaining("No running process has the role deliver, jobs."),
    advice: "Start a process with ROLES=deliver,jobs. What it does waits until then.",
  });
});

test("sizes are read once for checks that are loaded again and again", async () => {
  await checks();
  const queries = vi.spyOn(server.database, "query");
  await checks();
  const texts = queries.mock.calls.map(([text]) => String(text));
  queries.mockRestore();
  expect(texts.length).toBeGreaterThan(0);
  expect(texts.filter((text) => /pg_(database|total_relation)_size/.test(text))).toEqual([]);
});

test("a connector whose calls fail is named to the operator, with what to do", async () => {
  await server.database.query(
    `insert into delivery_states (organization_id, connector_id, state)
     select organization_id, id, '{"failures": 20, "lastError": "It answered with status 500."}' from connectors`,
  );
  const found = await checks();
  expect(found.find(({ name }) => name === "Connector API of default")).toMatchObject({
    status: "late",
    message: "Calls fail: It answered with status 500.",
    advice: expect.stringMatching(/muster connector logs \w{24} --org default/),
  });
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
