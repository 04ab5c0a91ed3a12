import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { canTest } from "../../../../testing/can-test.js";
import { freePort } from "../../../../testing/free-port.js";
import { HAS_NATS, NO_NATS, startNats } from "../../../../testing/start-nats.js";
import { startWebServer, type WebServer } from "../../../../testing/start-web-server.js";
import { createServerDatabase, databaseUrl, dropTestDatabase, openTestDatabase } from "../testing/test-database.js";
import { openTestServer } from "../testing/test-server.js";
import { openLog } from "./open-log.js";

// What an operator reads when an engine of their own cannot be used: its name, the setting and what to do.

let plain: WebServer;
beforeAll(async () => {
  plain = await startWebServer((_request, response) => response.end("hello"));
});
afterAll(() => plain.close());

/** The message with which a start ends. */
async function failureOf(environment: Record<string, string>): Promise<string> {
  const server = await openTestServer(environment).catch((error: Error) => error);
  if (server instanceof Error) return server.message;
  await server.close();
  return "It has started.";
}

test("PostgreSQL without the database, the role or a server at all", async () => {
  const url = inject("postgresUrl");
  const other = new URL(url);
  other.username = "nobody_at_all";
  const nobody = await freePort();
  expect(await failureOf({ DATABASE_URL: databaseUrl(url, "no_such_database") })).toBe(
    'The PostgreSQL of DATABASE_URL does not have the database: database "no_such_database" does not exist. Create it, or name another.',
  );
  expect(await failureOf({ DATABASE_URL: other.href })).toMatch(
    /^The PostgreSQL of DATABASE_URL does not accept the user: .*nobody_at_all.*\. Check the user and the password/,
  );
  expect(await failureOf({ DATABASE_URL: `postgres://127.0.0.1:${nobody}/muster` })).toBe(
    `The PostgreSQL of DATABASE_URL does not answer: connect ECONNREFUSED 127.0.0.1:${nobody}. Check the address, and that it runs.`,
  );
  expect(await failureOf({ DATABASE_URL: `postgres://127.0.0.1:${new URL(plain.url).port}/muster` })).toMatch(
    /^The PostgreSQL of DATABASE_URL does not answer: /,
  );
});

test("ClickHouse without TLS, without the database, with another password, or something that is no ClickHouse", async () => {
  // As a ClickHouse server refuses statements; one that really runs is tested elsewhere.
  let answer = {
    status: 404,
    code: "81",
    text: "Code: 81. DB::Exception: Database none does not exist. (UNKNOWN_DATABASE)",
  };
  const refusing = createServer((request, response) => {
    if (request.url?.startsWith("/ping")) return response.end("Ok.\n");
    response.writeHead(answer.status, { "x-clickhouse-exception-code": answer.code }).end(answer.text);
  });
  await new Promise<void>((resolve) => refusing.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
  try {
    expect(await failureOf({ CLICKHOUSE_URL: plain.url.replace("http:", "https:") })).toMatch(
      /^The ClickHouse of CLICKHOUSE_URL does not speak TLS on that port: .*EPROTO.*\. Write http:\/\/ instead of https:/,
    );
    expect(await failureOf({ CLICKHOUSE_URL: `${url}/none` })).toMatch(
      /^The ClickHouse of CLICKHOUSE_URL does not have the database: .*Database none does not exist.*\. Create it/,
    );
    answer = {
      status: 403,
      code: "516",
      text: "Code: 516. DB::Exception: default: Authentication failed. (AUTHENTICATION_FAILED)",
    };
    expect(await failureOf({ CLICKHOUSE_URL: url })).toMatch(
      /^The ClickHouse of CLICKHOUSE_URL does not accept the user: .*Authentication failed/,
    );
    expect(await failureOf({ CLICKHOUSE_URL: plain.url })).toBe(
      "What answers at CLICKHOUSE_URL is not ClickHouse. Check the address and the port.",
    );
    expect(await failureOf({ CLICKHOUSE_URL: `http://127.0.0.1:${await freePort()}` })).toMatch(
      /^The ClickHouse of CLICKHOUSE_URL does not answer: connect ECONNREFUSED .*\. Check the address/,
    );
  } finally {
    refusing.close();
  }
});

test.runIf(canTest(HAS_NATS, NO_NATS))("NATS that cannot be used is named at the start, which goes on", async () => {
  const database = await openTestDatabase();
  const nats = await startNats({ nodes: 1 });
  const reasonOf = async (natsUrl: string) => {
    const logged: string[] = [];
    const log = openLog(
      { natsUrl, natsStreams: 1, natsReplicas: undefined },
      database,
      pino({ level: "error" }, { write: (line: string) => void logged.push(line) }),
    );
    try {
      await vi.waitFor(() => expect(logged).not.toEqual([]), { timeout: 10_000 });
      const { reason, msg } = JSON.parse(logged[0] ?? "{}") as { reason: string; msg: string };
      expect(msg).toMatch(/^NATS of NATS_URL cannot be used, and is tried again/);
      return reason;
    } finally {
      await log.close();
    }
  };
  try {
    expect(await reasonOf(`nats://127.0.0.1:${await freePort()}`)).toMatch(/refused/i);
    expect(await reasonOf(`nats://127.0.0.1:${new URL(plain.url).port}`)).not.toBe("");
  } finally {
    await nats.close();
    await database.close();
  }
});

test("a database that is there is used", async () => {
  const url = await createServerDatabase();
  expect(await failureOf({ DATABASE_URL: url })).toBe("It has started.");
  await dropTestDatabase(url);
});
