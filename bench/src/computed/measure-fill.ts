import { setTimeout as sleep } from "node:timers/promises";
import { signToken } from "@muster/protocol";
import type { FilledServer } from "../dataset/start-filled-server.js";
import { startFilledServer } from "../dataset/start-filled-server.js";
import { secondsSince } from "../lib/seconds-since.js";
import { withDataDir } from "../lib/start-server.js";

const PROBES = 10;

/** Measures how long it takes until everybody has a new computed attribute, and until one event has changed a value. */
export async function measureFill(users: number) {
  const now = Math.floor(Date.now() / 1_000);
  return withDataDir(async (dataDir) => {
    const filled = await startFilledServer(dataDir, { users, now, hasEvents: true, hasProfiles: true });
    try {
      const startedAt = performance.now();
      const created = await filled.api("POST", "/computed_attributes", {
        target: "user",
        name: "computed",
        compute: { count: { event: "Event 1" } },
      });
      const { id } = (await created.json()) as { id: string };
      await whenFilled(filled, id);
      const fillSeconds = secondsSince(startedAt);
      const editedAt = performance.now();
      await filled.api("PUT", `/computed_attributes/${id}`, {
        compute: { count: { event: "Event 1", within: "3650d" } },
      });
      await whenFilled(filled, id);
      const againSeconds = secondsSince(editedAt);
      const delays: number[] = [];
      for (let probe = 1; probe <= PROBES; probe++) delays.push(await measureChange(filled, probe));
      return { fillSeconds, againSeconds, changeMs: delays.toSorted((a, b) => a - b)[PROBES / 2] ?? 0 };
    } finally {
      await filled.server.stop();
    }
  });
}

async function whenFilled({ api }: FilledServer, id: string): Promise<void> {
  for (;;) {
    const { status } = (await (await api("GET", `/computed_attributes/${id}`)).json()) as { status: string };
    if (status === "ok") return;
    await sleep(20);
  }
}

/** Sends one event of a user, and waits until the user is found by the new value. */
async function measureChange({ server, api }: FilledServer, probe: number): Promise<number> {
  const { url, connectorId, secret } = server;
  const token = signToken(
    {
      iss: connectorId,
      iat: Math.floor(Date.now() / 1_000),
      "io.svc.subjectType": "user",
      "io.svc.asUser": { external_id: "probe" },
    },
    secret,
  );
  const at = new Date().toISOString();
  await fetch(`${url}/firehose`, {
    method: "POST",
    headers: { "content-type": "application/json", "svc-app-id": connectorId, "svc-access-token": secret },
    body: JSON.stringify({
      timestamp: at,
      sentAt: at,
      batch: [{ type: "track", timestamp: at, headers: { "Svc-Access-Token": token }, body: { event: "Event 1" } }],
    }),
  });
  const acknowledgedAt = performance.now();
  const query = {
    bool: { must: [{ term: { external_id: "probe" } }, { range: { traits_computed: { gte: probe } } }] },
  };
  for (;;) {
    const found = await api("POST", "/search/user_reports", { query, per_page: 1 });
    if (((await found.json()) as { data: unknown[] }).data.length > 0) return performance.now() - acknowledgedAt;
    await sleep(5);
  }
}
