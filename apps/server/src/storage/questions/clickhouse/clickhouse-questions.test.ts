import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { evaluationEvents } from "../../../domain/changes/evaluation-events.js";
import { openClickHouseQuestions } from "./clickhouse-questions.js";

/** A request that the server received: the statement and the parameters in the URL. */
interface Received {
  sql: string;
  settings: URLSearchParams;
}

const ORG = "0123456789ab010123456789";

let server: Server;
let url: string;
let received: Received[];

/** A fake server in place of a cluster, which a test cannot start. It accepts every statement, and has a version but no rows. */
beforeEach(async () => {
  received = [];
  server = createServer(async (request, response) => {
    const settings = new URL(request.url ?? "", "http://localhost").searchParams;
    const sql = await text(request);
    if (request.url !== "/ping") received.push({ sql, settings });
    const asksVersion = sql.includes("select version()");
    response.end(request.url === "/ping" ? "Ok.\n" : asksVersion ? '{"version":"25.8"}\n' : "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
});

test("the error about a server that does not answer says so", async () => {
  await expect(openClickHouseQuestions({ eventsOf: evaluationEvents, url: "http://127.0.0.1:1" })).rejects.toThrow(
    "does not answer",
  );
});

test("every statement has the settings", async () => {
  const questions = await openClickHouseQuestions({ eventsOf: evaluationEvents, url });
  await questions.close();
  expect(received.length).toBeGreaterThan(3);
  for (const { settings } of received) {
    expect(settings.get("join_use_nulls")).toBe("1");
    expect(settings.get("distributed_product_mode")).toBeNull();
  }
});

test("statements that only read are marked as such and end with their connection", async () => {
  const questions = await openClickHouseQuestions({ eventsOf: evaluationEvents, url, timeLimitMs: 2_500 });
  received = [];
  await questions.countEventsByName(ORG, ["Order"]);
  await questions.writeEvaluation(ORG, 1, {
    at: "2024-06-15T12:00:00.000Z",
    moves: [{ segmentId: ORG, segmentName: "Buyers", subjectType: "user", entered: [ORG], left: [] }],
  });
  await questions.close();
  const [read, ...written] = received.map(({ settings }) => [
    settings.get("readonly"),
    settings.get("max_execution_time"),
  ]);
  expect(read).toEqual(["2", "2.5"]);
  expect(written).toEqual([
    [null, null],
    [null, null],
  ]);
});

test("figures have the time limit when a client asks for them, and none when the pipeline does", async () => {
  const questions = await openClickHouseQuestions({ eventsOf: evaluationEvents, url, timeLimitMs: 2_500 });
  received = [];
  const aggregate = { aggregate: "count", query: undefined, attribute: undefined, type: "numeric" } as const;
  const context = { attributeTypes: { typeOf: () => undefined }, now: new Date() };
  await questions.aggregateUsers(ORG, [aggregate], [ORG], context);
  await questions.aggregateUsers(ORG, [aggregate], [ORG], context, { isOfPipeline: true });
  await questions.close();
  expect(received.map(({ settings }) => settings.get("max_execution_time"))).toEqual(["2.5", null]);
});

test("in a cluster, tables are created and rows are dropped and deleted on every server", async () => {
  const questions = await openClickHouseQuestions({ eventsOf: evaluationEvents, url, cluster: "main" });
  expect(
    received.filter(({ sql }) => sql.startsWith("create")).every(({ sql }) => sql.includes(" on cluster 'main'")),
  ).toBe(true);
  received = [];
  await questions.drop(ORG);
  await questions.erase(ORG, [ORG]);
  await questions.close();
  const changes = received
    .map(({ sql }) => sql.split(" where", 1)[0] ?? "")
    .filter((sql) => /^(alter|delete)/.test(sql));
  expect(changes).toEqual([
    `alter table users_local on cluster 'main' drop partition '${ORG}'`,
    `alter table accounts_local on cluster 'main' drop partition '${ORG}'`,
    `alter table events_local on cluster 'main' drop partition '${ORG}'`,
    `alter table memberships_local on cluster 'main' drop partition '${ORG}'`,
    "delete from progress_local on cluster 'main'",
    // Those of events and memberships also delete the versions that hide others.
    ...["users", "accounts", "events", "events", "memberships", "memberships"].map(
      (table) => `delete from ${table}_local on cluster 'main' in partition '${ORG}'`,
    ),
    ...["users", "accounts", "events", "memberships"].map(
      (table) =>
        `alter table ${table}_local on cluster 'main' apply deleted mask in partition '${ORG}' settings mutations_sync = 2`,
    ),
  ]);
  for (const { settings } of received) expect(settings.get("distributed_product_mode")).toBe("global");
});

test("lists that are too long for a URL are sent in the body", async () => {
  const questions = await openClickHouseQuestions({ eventsOf: evaluationEvents, url });
  received = [];
  const ids = Array.from({ length: 50_000 }, (_, index) => index.toString(16).padStart(24, "0"));
  await questions.membershipsOf(ORG, ids);
  await questions.close();
  const [{ sql = "", settings = new URLSearchParams() } = {}] = received;
  expect(settings.has("param_ids")).toBe(false);
  expect(sql).toContain(ids[49_999]);
});
