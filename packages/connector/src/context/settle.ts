import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@muster/client";
import { firstBytes, MAX_REPORTED_BODY_BYTES, type MessageReport } from "@muster/protocol";
import type { LaterReportsTaken } from "@muster/protocol/api/deliveries";

const MOST_REPORTS = 500;
/** Muster writes its note about a message up to a few seconds after the answer. A job can be done before that. */
const TRY_AGAIN_AFTER_MS = [1_000, 3_000];

/** Reports what became of messages after their notification was answered. */
export async function settle(client: Client, reports: readonly MessageReport[]): Promise<void> {
  for (let start = 0; start < reports.length; start += MOST_REPORTS) {
    await settleSome(client, reports.slice(start, start + MOST_REPORTS).map(cut));
  }
}

async function settleSome(client: Client, reports: readonly MessageReport[]): Promise<void> {
  let left = reports;
  for (const waitMs of [...TRY_AGAIN_AFTER_MS, undefined]) {
    const { ignored } = await client.post<LaterReportsTaken>("/app/delivery/results", { results: left });
    left = left.filter(({ message_id }) => ignored.includes(message_id));
    // What is still ignored has a result already.
    if (left.length === 0 || waitMs === undefined) return;
    await sleep(waitMs);
  }
}

function cut({ body, ...report }: MessageReport): MessageReport {
  return body === undefined ? report : { ...report, body: firstBytes(body, MAX_REPORTED_BODY_BYTES) };
}
