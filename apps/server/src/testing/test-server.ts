import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import type { FirstCredentials } from "../organizations/first-start.js";
import { readConfig } from "../runtime/settings/config.js";
import { type OpenServerOptions, openServer, type Server } from "../server/open-server.js";
import { installedDestinations } from "./installed-destinations.js";
import { createServerDatabase, dropTestDatabase } from "./test-database.js";

export const ADMIN_TOKEN = "operator-token-of-the-tests";

export interface TestServer extends Server {
  first: FirstCredentials;
  /** Headers of the first connector with its secret. */
  connectorHeaders: Record<string, string>;
  operatorHeaders: Record<string, string>;
  /** Where the server keeps its files. */
  dataDir: string;
  /** The address of the server, after `listen()`. */
  url: string;
}

/** Opens the real server on its own databases. `environment` overrides settings. Call `close()` at the end. */
export async function openTestServer(
  environment: Record<string, string> = {},
  options: OpenServerOptions = {},
): Promise<TestServer> {
  const ownDir = await mkdtemp(join(tmpdir(), "muster-test-"));
  const dataDir = environment.DATA_DIR ?? ownDir;
  const ownDatabase = environment.DATABASE_URL === undefined ? await createServerDatabase() : undefined;
  const config = readConfig({
    PORT: "0",
    DATA_DIR: dataDir,
    ...(ownDatabase === undefined ? {} : { DATABASE_URL: ownDatabase }),
    MUSTER_ADMIN_TOKEN: ADMIN_TOKEN,
    LOG_LEVEL: "silent",
    AUTH_FAILURES_PER_MINUTE: "1000000",
    // Threads cannot run the sources.
    PIPELINE_THREAD: "false",
    ADMISSION_THREADS: "0",
    DESTINATIONS_DIR: installedDestinations(ownDir),
    ...environment,
  });
  const server = await openServer(config, pino({ level: config.logLevel }), options);
  const { first } = server;
  if (!first) throw new Error("A new server has first credentials.");
  return {
    ...server,
    first,
    dataDir,
    get signInUrl() {
      return server.signInUrl;
    },
    connectorHeaders: {
      [`${config.brand}-App-Id`]: first.connector.id,
      [`${config.brand}-Access-Token`]: first.connector.secret,
    },
    operatorHeaders: { authorization: `Bearer ${ADMIN_TOKEN}` },
    get url() {
      return server.addresses.publicUrl;
    },
    async close() {
      await server.close();
      if (ownDatabase !== undefined) await dropTestDatabase(ownDatabase);
      await rm(ownDir, { recursive: true, force: true });
    },
  };
}

/** Runs `work` with a server and closes the server after it. */
export async function withTestServer<Result>(
  environment: Record<string, string>,
  work: (server: TestServer) => Promise<Result>,
): Promise<Result> {
  const server = await openTestServer(environment);
  try {
    return await work(server);
  } finally {
    await server.close();
  }
}
