import { join } from "node:path";
import { type Api, openApi } from "../lib/api.js";
import { startChild } from "../lib/child.js";
import { type RunningServer, startServer } from "../lib/start-server.js";
import { ATTRIBUTES } from "./attributes.js";
import type { FillOrder } from "./fill-clickhouse.js";

/** The segment that a tenth of the generated users are in. */
export const SEGMENT_ID = "6553f100000020aaaaaaaaaa";

export interface FilledServer {
  server: RunningServer;
  api: Api;
  org: string;
}

/**
 * A server with generated users, and events if wanted: started once for its tables and credentials, filled while it does
 * not run, and started again.
 */
export async function startFilledServer(
  dataDir: string,
  { users, now, hasEvents }: Pick<FillOrder, "users" | "now" | "hasEvents">,
): Promise<FilledServer> {
  const first = await startServer({ dataDir });
  const { id: org } = (await (await openApi(first)("GET", "/org")).json()) as { id: string };
  await first.stop();
  const child = startChild(new URL("./fill-clickhouse.js", import.meta.url), []);
  const order: FillOrder = { dataDir: join(dataDir, "clickhouse"), org, users, segmentId: SEGMENT_ID, now, hasEvents };
  child.send(order);
  await child.next();
  await child.stop();
  const again = await startServer({ dataDir });
  // Credentials are told once, at the first start.
  const server = { ...again, connectorId: first.connectorId, secret: first.secret };
  const api = openApi(server);
  for (const { name, type } of ATTRIBUTES) await api("PUT", `/settings/user_traits/${name}?type=${type}`);
  await api("PUT", "/settings/account_traits/industry?type=string");
  return { server, api, org };
}
