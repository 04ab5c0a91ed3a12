import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Overview as OverviewRecord } from "@muster/protocol/api/overview";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readConfig } from "../../../runtime/settings/config.js";
import { openServer } from "../../../server/open-server.js";
import { ConnectorApp, smartManifest } from "../../../testing/connector-app.js";
import { Sender } from "../../../testing/sender.js";
import { createTestDatabase } from "../../../testing/test-database.js";
import { ADMIN_TOKEN, openTestServer, type TestServer } from "../../../testing/test-server.js";

let server: TestServer;
let sender: Sender;
let settings: { DATABASE_URL: string; DATA_DIR: string };

beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "muster-test-"));
  settings = { DATABASE_URL: await createTestDatabase(), DATA_DIR: dataDir };
  server = await openTestServer({ ...settings, DELIVERY_ATTEMPTS: "1" });
  await server.listen();
  sender = new Sender(server);
});
afterAll(async () => {
  await server.close();
  await rm(settings.DATA_DIR, { recursive: true, force: true });
});

async function ask<Answer>(path = "", at: Pick<TestServer, "app"> = server, organization = "default"): Promise<Answer> {
  const headers = { ...server.operatorHeaders, "svc-organization": organization, "muster-organization": organization };
  const answer = await at.app.inject({ url: `/api/v1/overview${path}`, headers });
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)]);
  return answer.json<Answer>();
}

/** Asks until the answer fits: answers are up to a second old, and figures about the lag are stored once a second. */
function until(check: (overview: OverviewRecord) => void): Promise<void> {
  return vi.waitFor(async () => check(await ask<OverviewRecord>()), { timeout: 45_000, interval: 200 });
}

const setPlan = (externalId: string, plan: string) => sender.traits({ user: { external_id: externalId } }, { plan });

const records = ({ intake }: OverviewRecord) => intake.minutes.reduce((sum, { count }) => sum + count, 0);

test("a new organization has nothing, and nothing needs attention", async () => {
  const overview = await ask<OverviewRecord>();
  expect(overview).toMatchObject({
    users: 0,
    accounts: 0,
    intake: { any: false, per_second: 0 },
    attention: [],
    health: { state: "ok", behind_ms: 0, waiting_records: 0 },
  });
  expect(overview.intake.minutes).toHaveLength(60);
  expect(overview.lag.stages.map(({ stage, p95_ms }) => [stage, p95_ms])).toEqual([
    ["apply", null],
    ["search", null],
    ["delivery", null],
  ]);
});

test("users, accounts, records and the lag of a known load are counted exactly", async () => {
  const users = Array.from({ length: 40 }, (_, index) => setPlan(`user-${index}`, "pro"));
  await sender.settle([...users, sender.traits({ account: { domain: "acme.example" } }, { industry: "toys" })]);
  await until((overview) => {
    expect([overview.users, overview.accounts, records(overview), overview.intake.any]).toEqual([40, 1, 41, true]);
    expect(overview.intake.per_second).toBeGreaterThan(0);
    const [apply, search] = overview.lag.stages;
    expect([apply?.records, search?.records]).toEqual([41, 41]);
    expect(apply!.p95_ms!).toBeGreaterThan(0);
    expect(apply!.p95_ms!).toBeGreaterThanOrEqual(apply!.p50_ms!);
    expect(overview.health.state).toBe("ok");
  });
});

test("growth has today's users and accounts as the last of ninety days", async () => {
  const { users, accounts } =
    await ask<Record<"users" | "accounts", { at: string; total: number; created: number }[]>>("/growth");
  expect([users.length, accounts.length]).toEqual([90, 90]);
  expect(users.at(-1)).toMatchObject({ total: 40, created: 40 });
  expect(users[0]).toMatchObject({ total: 0, created: 0 });
  expect(accounts.at(-1)).toMatchObject({ total: 1, created: 1 });
});

test("a batch that is sent again is not counted again", async () => {
  const before = records(await ask<OverviewRecord>());
  const again = { timestamp: "2024-01-01T00:00:00.000Z", sentAt: "2024-01-01T00:00:00.000Z" };
  const entries = [setPlan("user-1", "free")];
  for (let time = 0; time < 2; time++) await sender.send(entries, again);
  await until((overview) => expect(records(overview)).toBe(before + 1));
});

test("records that could not be applied need attention until they are tried again", async () => {
  await sender.settle([sender.traits({ user: { external_id: "nobody" }, create: false }, { plan: "x" })]);
  await until(({ attention }) =>
    expect(attention).toContainEqual({
      kind: "rejected",
      severity: "warning",
      message: "1 record was accepted and could not be applied.",
      count: 1,
      ids: [],
    }),
  );
});

describe("with a connector that refuses", () => {
  let app: ConnectorApp;
  let id: string;
  beforeAll(async () => {
    app = await ConnectorApp.open(smartManifest({ name: "Mailer" }), (_, response) => {
      response.writeHead(400).end("no");
    });
    id = (await app.install(server)).id;
  });
  afterAll(() => app.close());

  test("its failed calls, dead letters and later its deliveries are counted, and dead letters need attention", async () => {
    await sender.settle([setPlan("user-2", "gold")]);
    await until(({ connectors, attention, health }) => {
      const mailer = connectors.find((connector) => connector.id === id);
      expect(mailer).toMatchObject({ name: "Mailer", receives: true, dead_letters: 1, sent_last_hour: 0 });
      expect(mailer?.failed_last_hour).toBeGreaterThan(0);
      // It has trouble, so it comes first.
      expect(connectors[0]?.id).toBe(id);
      expect(attention).toContainEqual(
        expect.objectContaining({
          kind: "dead_letters",
          severity: "error",
          message: "1 message to Mailer could not be delivered.",
          ids: [id],
        }),
      );
      expect(health).toMatchObject({ state: "broken", message: "1 message to Mailer could not be delivered." });
    });
    app.respond = () => ({ flow_control: { type: "next" } });
    await sender.settle([setPlan("user-3", "gold")]);
    await until(({ connectors, attention, health, lag }) => {
      // The message is still a task, but the connector works again.
      expect(attention).toContainEqual(expect.objectContaining({ kind: "dead_letters", severity: "warning" }));
      expect(health.state).toBe("ok");
      expect(connectors.find((connector) => connector.id === id)).toMatchObject({
        sent_last_hour: 1,
        queued_messages: 0,
      });
      const delivery = lag.stages.find(({ stage }) => stage === "delivery");
      expect(delivery).toMatchObject({ records: 1, behind_ms: 0 });
      expect(delivery?.p50_ms).toBeGreaterThan(0);
    });
  });

  test("a connector that must be set up needs attention, with what it said", async () => {
    const payload = { status: "setupRequired", messages: ["Give an API key."] };
    const url = `/api/v1/${id}/status`;
    await server.app.inject({ method: "PUT", url, headers: server.operatorHeaders, payload });
    await until(({ attention }) =>
      expect(attention).toContainEqual(
        expect.objectContaining({ kind: "setup", message: "Mailer must be set up: Give an API key.", ids: [id] }),
      ),
    );
  });
});

test("segments that moved are listed with who entered and left, and their sizes", async () => {
  const create = (name: string, query: object) =>
    server.app.inject({
      method: "POST",
      url: "/api/v1/users_segments",
      headers: server.operatorHeaders,
      payload: { name, query, predicate: {} },
    });
  const gold = (await create("Gold", { term: { traits_plan: "gold" } })).json<{ id: string }>().id;
  await create("Nobody", { term: { traits_plan: "silver" } });
  await vi.waitFor(async () => expect((await sender.object(gold)).stats).toEqual({ users: 2 }), { timeout: 45_000 });
  await sender.settle([setPlan("user-3", "free"), setPlan("user-91", "gold"), setPlan("user-92", "gold")]);
  const { segments } = await ask<{ segments: { sizes: number[] }[] }>("/segments");
  expect(segments).toEqual([
    expect.objectContaining({ id: gold, name: "Gold", subject_type: "user", size: 3, entered: 2, left: 1 }),
  ]);
  // It was created today.
  expect(segments[0]?.sizes).toEqual([3]);
});

test("another organization sees nothing of it", async () => {
  await server.app.inject({
    method: "POST",
    url: "/api/v1/organizations",
    headers: server.operatorHeaders,
    payload: { namespace: "other", name: "Other" },
  });
  expect(await ask("", server, "other")).toMatchObject({
    users: 0,
    accounts: 0,
    intake: { any: false, per_second: 0 },
    connectors: [],
    attention: [],
  });
  expect(await ask("/segments", server, "other")).toEqual({ segments: [] });
  expect((await ask<{ users: { total: number }[] }>("/growth", server, "other")).users.at(-1)?.total).toBe(0);
});

test("the figures survive a restart", async () => {
  const figuresOf = ({ users, lag, ...overview }: OverviewRecord) => ({
    users,
    records: records({ users, lag, ...overview }),
    lags: lag.stages.map(({ stage, records: count, p95_ms }) => ({ stage, count, p95_ms })),
    sent: overview.connectors.map(({ name, sent_last_hour }) => ({ name, sent_last_hour })),
  });
  let before = figuresOf(await ask());
  const { rows } = await server.database.query<{ entries: number }>(
    "select sum(entries)::int as entries from intake_figures where organization_id = $1",
    [server.first.organization.id],
  );
  // The answer may be a second old, and the last figures about the lag may not be stored yet.
  await until((overview) => {
    before = figuresOf(overview);
    expect(before.records).toBe(rows[0]?.entries);
    expect(before.lags.slice(0, 2).map(({ count }) => count)).toEqual([before.records, before.records]);
  });
  expect(before.records).toBeGreaterThan(40);
  await server.close();
  const own = { ...settings, PORT: "0", MUSTER_ADMIN_TOKEN: ADMIN_TOKEN, LOG_LEVEL: "silent" };
  const restarted = await openServer(readConfig(own), pino({ level: "silent" }));
  try {
    expect(figuresOf(await ask("", restarted))).toEqual(before);
  } finally {
    await restarted.close();
  }
});
