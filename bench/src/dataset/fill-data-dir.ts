import { join } from "node:path";
import { openApi } from "../lib/api.js";
import { startChild } from "../lib/child.js";
import { secondsSince } from "../lib/seconds-since.js";
import { type RunningServer, startServer } from "../lib/start-server.js";
import type { MultiplyOrder, MultiplyReport } from "./multiply-documents.js";
import { multiplyProfiles, removeTemplates } from "./multiply-profiles.js";
import { storeTemplates } from "./templates.js";

export interface FillOptions {
  users: number;
  /** The current time, in unix seconds. */
  now: number;
  hasEvents: boolean;
  /** Whether PostgreSQL has the profiles too. Without them, records create the users again. */
  hasProfiles: boolean;
}

export interface FilledDataDir extends Pick<RunningServer, "connectorId" | "secret"> {
  org: string;
  /** The sequence of the last change that the question engine holds. */
  sequence: number;
  fillSeconds: number;
}

/**
 * Makes the data of a server with generated users. The server is started for its tables and credentials, and stores a few
 * templates. SQL inside the engines then makes all other users from them, because writing millions of users through
 * JavaScript takes many times as long. No server runs afterwards.
 */
export async function fillDataDir(dataDir: string, options: FillOptions): Promise<FilledDataDir> {
  const { users, now, hasEvents, hasProfiles } = options;
  const server = await startServer({ dataDir });
  const { connectorId, secret } = server;
  const api = openApi(server);
  const startedAt = performance.now();
  const { id: org } = (await (await api("GET", "/org")).json()) as { id: string };
  const templates = await storeTemplates(server, api, hasEvents);
  const databaseUrl = await server.databaseUrl();
  if (hasProfiles) await multiplyProfiles(databaseUrl, templates, users);
  await removeTemplates(databaseUrl, templates);
  await server.stop();
  const path = join(dataDir, "questions", `${org}.duckdb`);
  const { sequence } = await multiplyDocuments({ path, templates, users, now, hasEvents });
  return { org, connectorId, secret, sequence, fillSeconds: secondsSince(startedAt) };
}

async function multiplyDocuments(order: MultiplyOrder): Promise<MultiplyReport> {
  const child = startChild(new URL("./multiply-documents.js", import.meta.url), []);
  child.send(order);
  const report = await child.next<MultiplyReport>();
  await child.stop();
  return report;
}
