import { once } from "node:events";
import { parseArgs } from "node:util";
import { Refusal } from "@muster/protocol";
import { pino } from "pino";
import { StartTimes } from "./runtime/measures/start-times.js";
import { ConfigError, describeConfig, readConfig } from "./runtime/settings/config.js";
import { readEnvironment } from "./runtime/settings/environment.js";
import { VERSION } from "./runtime/version.js";
import { migrateOnly } from "./server/migrate-only.js";
import { openServer, type Server } from "./server/open-server.js";

const HELP = `muster-server ${VERSION}

  --port PORT        listen on PORT
  --data-dir DIR     keep everything under DIR
  --roles a,b        run only these parts: api, gateway, worker, deliver, jobs, dashboard
  --migrate-only     bring the schema of the database up to date, and stop
  --json             announce the start as one line of JSON
  --print-config     print the effective settings as JSON, secrets masked, and stop

Every setting is an environment variable too: see docs/settings.md.`;

const { values: flags } = parseArgs({
  options: {
    port: { type: "string" },
    "data-dir": { type: "string" },
    roles: { type: "string" },
    "migrate-only": { type: "boolean" },
    json: { type: "boolean" },
    "print-config": { type: "boolean" },
    help: { type: "boolean" },
  },
});

if (flags.help) {
  console.log(HELP);
  process.exit(0);
}

async function main(): Promise<void> {
  const config = readConfig({
    ...readEnvironment(),
    ...(flags.port === undefined ? {} : { PORT: flags.port }),
    ...(flags["data-dir"] === undefined ? {} : { DATA_DIR: flags["data-dir"] }),
    ...(flags.roles === undefined ? {} : { ROLES: flags.roles }),
  });
  if (flags["print-config"]) {
    console.log(JSON.stringify(describeConfig(config), null, 2));
    return;
  }
  if (flags["migrate-only"]) {
    const migrations = await migrateOnly(config);
    console.log(flags.json ? JSON.stringify({ migrations }) : describeMigrations(migrations));
    return;
  }
  const logger = pino(
    { level: config.logLevel, base: undefined },
    process.stderr.isTTY
      ? pino.transport({ target: "pino-pretty", options: { destination: 2, ignore: "pid,hostname" } })
      : pino.destination({ dest: 2, sync: true }),
  );
  const times = new StartTimes();
  times.ended("load");
  const stopRequest = listenForStop();
  // Before the first await: a signal may arrive while the server begins to listen.
  const stopped = once(stopRequest.signal, "abort");
  const server = await openServer(config, logger, { times });
  try {
    if (!stopRequest.signal.aborted) {
      await server.listen();
      console.log(flags.json ? JSON.stringify(announcement(server)) : announcementText(server));
      logger.info({ version: VERSION, roles: config.roles, startMs: times.ms }, "ready");
      void tellWhenBuilt(server, stopRequest.signal);
      await stopped;
    }
  } finally {
    await server.close();
  }
}

function describeMigrations(migrations: readonly string[]): string {
  return migrations.length === 0 ? "The schema was up to date." : `Migrated: ${migrations.join(", ")}.`;
}

/** Aborts at the first SIGTERM or Ctrl-C. Further signals change nothing: work in progress is finished and flushed first. */
function listenForStop(): AbortController {
  const request = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => request.abort());
  return request;
}

/** `npm start` builds the dashboard beside the server, which does not wait for it. */
async function tellWhenBuilt({ dashboard, addresses }: Server, signal: AbortSignal): Promise<void> {
  if (!dashboard.isBeingBuilt()) return;
  const isBuilt = await dashboard.whenBuilt(signal);
  if (signal.aborted || flags.json) return;
  console.log(
    isBuilt
      ? `The dashboard is ready at ${addresses.publicUrl}`
      : "The dashboard could not be built. Everything else works.",
  );
}

/** Only the announcement of the first start contains the secret, because the output of later starts is often kept as a log. */
function announcement({ addresses, first, signInUrl }: Server) {
  return {
    version: VERSION,
    url: addresses.publicUrl,
    guide_url: `${addresses.publicUrl}/guide`,
    docs_url: `${addresses.publicUrl}/docs`,
    firehose_url: addresses.firehoseUrl,
    ...(signInUrl === undefined ? {} : { sign_in_url: signInUrl }),
    ...(first
      ? {
          organization: addresses.organizationHost(first.organization.namespace),
          connector: { id: first.connector.id, ...(first.areNew ? { secret: first.connector.secret } : {}) },
        }
      : {}),
  };
}

function announcementText(server: Server): string {
  const { url, guide_url, docs_url, firehose_url, organization, connector, sign_in_url } = announcement(server);
  const lines = [
    `Muster ${VERSION} is running at ${url}`,
    `  Dashboard      ${url}/${dashboardState(server)}`,
    `  Sign in        ${sign_in_url ? `${sign_in_url} (works once, for a day)` : "muster sign-in"}`,
    `  Guide          ${guide_url}`,
    `  API reference  ${docs_url}`,
  ];
  if (connector) {
    lines.push(
      "",
      `  Organization   ${organization}`,
      `  Connector id   ${connector.id}`,
      `  Secret         ${connector.secret ?? `printed by: muster connector credentials ${connector.id}`}`,
      `  Gateway        ${firehose_url}`,
    );
    if (connector.secret)
      lines.push(
        "",
        "  To see it at work: npx muster demo, in this folder, fills an organization with a made-up company.",
      );
  }
  return `${lines.join("\n")}\n`;
}

function dashboardState({ dashboard }: Server): string {
  return dashboard.isBeingBuilt() ? " (is being built)" : "";
}

function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (!(error instanceof Error)) return String(error);
  if (readEnvironment().LOG_LEVEL === "debug") return String(error.stack);
  const { code, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === "EADDRINUSE") {
    return `Muster could not start: port ${port} is in use. Stop what listens there, or choose another with PORT.`;
  }
  if (code === "EACCES" && port !== undefined) {
    return `Muster could not start: this user may not listen on port ${port} (PORT). Choose one above 1023, or put a proxy in front.`;
  }
  // The cause of a refusal says which address does not answer, and why.
  const cause =
    error instanceof Refusal && error.cause instanceof Error ? ` (${error.cause.message || String(error.cause)})` : "";
  return `Muster could not start: ${error.message}${cause}`;
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(explain(error));
    process.exit(1);
  },
);
