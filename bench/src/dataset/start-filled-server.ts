import { randomUUID } from "node:crypto";
import pg from "pg";
import { type Api, openApi } from "../lib/api.js";
import { type RunningServer, startServer } from "../lib/start-server.js";
import { ATTRIBUTES } from "./attributes.js";
import { fill } from "./fill.js";
import { type FillOrder, lastSequence } from "./fill-order.js";

/** The segment that a tenth of the generated users are in. */
export const SEGMENT_ID = "6553f100000020aaaaaaaaaa";

export interface FilledServer {
  server: RunningServer;
  api: Api;
  org: string;
  fillSeconds: number;
}

/**
 * Starts a server with generated users, and events if the order says so. The server is started once for its tables and
 * credentials, filled while it does not run, and started again.
 */
export async function startFilledServer(
  dataDir: string,
  { users, now, hasEvents }: Pick<FillOrder, "users" | "now" | "hasEvents">,
): Promise<FilledServer> {
  const first = await startServer({ dataDir });
  const { id: org } = (await (await openApi(first)("GET", "/org")).json()) as { id: string };
  const order: FillOrder = {
    dataDir,
    org,
    generation: randomUUID(),
    users,
    segmentId: SEGMENT_ID,
    now,
    hasEvents,
  };
  await expectFilled(await first.databaseUrl(), order);
  await first.stop();
  const fillSeconds = await fill(order);
  const again = await startServer({ dataDir });
  // The server prints credentials only at its first start.
  const server = { ...again, connectorId: first.connectorId, secret: first.secret };
  const api = openApi(server);
  for (const { name, type } of ATTRIBUTES) await api("PUT", `/settings/user_traits/${name}?type=${type}`);
  await api("PUT", "/settings/account_traits/industry?type=string");
  return { server, api, org, fillSeconds };
}

/** Writes the sequence that the engine will have to PostgreSQL: the server would rebuild an engine with another one. */
async function expectFilled(databaseUrl: string, order: FillOrder): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { org, generation } = order;
    const sequence = lastSequence(order);
    await client.query(
      `insert into change_heads (organization_id, sequence)
       values ($1, $2)
       on conflict (organization_id) do update
       set sequence = excluded.sequence`,
      [org, sequence],
    );
    await client.query(
      `insert into project_cursors (organization_id, sequence, positions, generation)
       values ($1, $2, '{}', $3)
       on conflict (organization_id) do update
       set sequence = excluded.sequence, positions = excluded.positions, generation = excluded.generation`,
      [org, sequence, generation],
    );
  } finally {
    await client.end();
  }
}
