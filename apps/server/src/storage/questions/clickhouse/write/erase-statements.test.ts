import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createClient } from "@clickhouse/client";
import { createId } from "@muster/protocol";
import { expect, onTestFinished, test } from "vitest";
import { Statements } from "../client/statements.js";
import { layoutOf } from "../schema/layout.js";
import { eraseSubjects } from "./erase.js";

/** A server that accepts every statement and runs none. */
async function openRecorder(): Promise<{ statements: Statements; received: string[] }> {
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    received.push((await text(request)).replace(/\s+/g, " "));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = createClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  onTestFinished(async () => {
    await client.close();
    server.close();
  });
  return { statements: new Statements(client, {}), received };
}

test("an erasure deletes what is visible, then what hides it, and keeps what hides users and accounts", async () => {
  const { statements, received } = await openRecorder();
  const organizationId = createId("organization");
  await eraseSubjects(statements, layoutOf(undefined), organizationId, [createId("user")]);
  const steps = received.map((sql) => {
    const [, table] = /^delete from (\w+) in partition '[0-9a-f]{24}' where /.exec(sql) ?? [];
    return `${table}${sql.includes("where is_deleted = 0 and ") ? " visible" : " all"}`;
  });
  expect(steps).toEqual([
    "users visible",
    "accounts visible",
    "events visible",
    "events all",
    "memberships visible",
    "memberships all",
  ]);
});
