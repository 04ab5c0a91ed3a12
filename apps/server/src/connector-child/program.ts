import { join } from "node:path";
import { bullmqQueue, type ConnectorOptions, serve } from "@muster/connector";
import { type BundledName, isBundledName, SHIPPED_NAMES } from "../domain/connectors/bundled-address.js";
import { findChild } from "../outbound/bundled/find-child.js";
import { loadConnector } from "./load-connector.js";

// A connector that comes with Muster as a program of its own. `muster connector run NAME` starts it with what it needs.

/** Where each listens unless `PORT` says otherwise: an installed connector is called at the same address after a restart. */
const PORTS: Record<BundledName, number> = {
  "outgoing-webhooks": 8091,
  "incoming-webhooks": 8092,
  processor: 8093,
  "sql-importer": 8094,
  warehouse: 8095,
  "old-crm": 8096,
};

const RUN_SCRIPTS: ReadonlySet<BundledName> = new Set(["incoming-webhooks", "processor"]);

const [name = ""] = process.argv.slice(2);
if (isBundledName(name)) await run(name);
else {
  process.stderr.write(`No connector "${name}" comes with Muster. These do: ${SHIPPED_NAMES.join(", ")}.\n`);
  process.exitCode = 2;
}

async function run(known: BundledName): Promise<void> {
  const { MUSTER_URL: platformUrl, ORGANIZATIONS, HOST_SECRET: hostSecret, BRAND: brand, REDIS_URL } = process.env;
  const connector = await loadConnector(known, {
    manifest: join(findChild().connectorsFolder, known, "manifest.json"),
    // A list of organizations narrows whom it serves.
    ...(ORGANIZATIONS === undefined && platformUrl !== undefined ? { platformUrl } : {}),
    ...(hostSecret === undefined ? {} : { hostSecret }),
    ...(brand === undefined ? {} : { clientConfig: { brand } }),
    port: process.env.PORT ?? PORTS[known],
    sendErrorLogs: true,
    ...(known === "sql-importer" && REDIS_URL ? await queueIn(REDIS_URL) : {}),
  });
  await serve(connector);
  if (RUN_SCRIPTS.has(known)) await endScriptsWithProcess();
}

/** Scripts that run or wait are answered with 503, so that the process ends soon. Whoever has sent them may send them again. */
async function endScriptsWithProcess(): Promise<void> {
  const { closeSandbox } = await import("@muster/sandbox");
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void closeSandbox());
}

/** Imports that outlive the process. */
async function queueIn(url: string): Promise<Pick<ConnectorOptions, "queue">> {
  const { IMPORTS_AT_ONCE } = await import("@muster/sql-importer");
  return { queue: bullmqQueue({ connection: { url }, concurrency: IMPORTS_AT_ONCE }) };
}
