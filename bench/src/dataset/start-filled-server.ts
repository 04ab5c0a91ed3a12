import { setTimeout as sleep } from "node:timers/promises";
import { type Api, openApi } from "../lib/api.js";
import { type RunningServer, startServer } from "../lib/start-server.js";
import { MEMBERS_BELOW_MRR } from "./attributes.js";
import { type FilledDataDir, type FillOptions, fillDataDir } from "./fill-data-dir.js";

export interface FilledServer extends Pick<FilledDataDir, "org" | "fillSeconds"> {
  server: RunningServer;
  api: Api;
}

/** Fills a folder with generated users and starts a server on it. */
export async function startFilledServer(
  dataDir: string,
  options: FillOptions,
  environment: Record<string, string> = {},
): Promise<FilledServer> {
  const { org, connectorId, secret, fillSeconds } = await fillDataDir(dataDir, options);
  const again = await startServer({ dataDir, environment });
  // The server prints credentials only at its first start.
  const server = { ...again, connectorId, secret };
  return { server, api: openApi(server), org, fillSeconds };
}

/** Makes a segment of a tenth of the generated users and waits until all of them are in it. Returns its id. */
export async function createTenth(api: Api, users: number): Promise<string> {
  const query = { range: { mrr: { lt: MEMBERS_BELOW_MRR } } };
  const created = await api("POST", "/users_segments", { name: "A tenth", query, predicate: {} });
  const { id } = (await created.json()) as { id: string };
  for (;;) {
    const found = await api("POST", "/search/user_reports", { query: { term: { segment_ids: id } }, per_page: 0 });
    const { pagination } = (await found.json()) as { pagination: { total: number } };
    if (pagination.total >= Math.floor(users / 10)) return id;
    await sleep(100);
  }
}
