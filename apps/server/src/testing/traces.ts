import { randomUUID } from "node:crypto";
import { BatchedWriter } from "../storage/postgres/batched-writer.js";
import { TRACES } from "../storage/postgres/delivery/traces.js";
import type { TestServer } from "./test-server.js";

/** Writes a delivery trace with this reason for each of the subjects. */
export async function noteTraces(server: TestServer, objectIds: readonly string[], reason = ""): Promise<void> {
  const { organization, connector } = server.first;
  let failure: unknown;
  const writer = new BatchedWriter({
    ...TRACES,
    database: server.database,
    onError: (error) => {
      failure = error;
    },
  });
  writer.add(
    objectIds.map((objectId) => ({
      organizationId: organization.id,
      objectId,
      connectorId: connector.id,
      channel: "user:update",
      sentAt: new Date(),
      durationMs: 5,
      result: "delivered",
      status: 200,
      notificationId: randomUUID(),
      messageId: randomUUID(),
      reason,
      isReported: false,
      body: "",
    })),
  );
  await writer.close();
  if (failure !== undefined) throw failure;
}

/** The reasons of the delivery traces: one subject after the other, the oldest trace of each first. */
export async function tracesOf(server: TestServer, objectIds: readonly string[]): Promise<string[]> {
  const { rows } = await server.database.query<{ reason: string }>(
    `select reason
     from traces
     where organization_id = $1 and object_id = any($2::text[])
     order by array_position($2::text[], object_id), sent_at`,
    [server.first.organization.id, objectIds],
  );
  return rows.map(({ reason }) => reason);
}
