import { parseArgs } from "node:util";
import { pino } from "pino";
import { ConfigError, describeConfig, readConfig, readEnvironment } from "./config.js";
import { openServer, type Server } from "./server.js";
import { VERSION } from "./version.js";

const HELP = `muster-server ${VERSION}

  --port PORT        listen on PORT
  --data-dir DIR     keep everything under DIR
  --roles a,b        run only these parts: api, gateway, worker
  --print-config     print the effective settings as JSON, secrets masked, and stop

Every setting is an environment variable too: see docs/settings.md.`;

const { values: flags } = parseArgs({
  options: {
    port: { type: "string" },
    "data-dir": { type: "string" },
    roles: { type: "string" },
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
  const logger = pino(
    { level: config.logLevel, base: undefined },
    process.stderr.isTTY
      ? pino.transport({ target: "pino-pretty", options: { destination: 2, ignore: "pid,hostname" } })
      : pino.destination({ dest: 2, sync: true }),
  );
  const opening = openServer(config, logger);
  stopOnSignal(opening, (error) => logger.error({ err: error }, "shutdown failed"));
  const server = await opening;
  await server.listen();
  announce(server);
  logger.info({ version: VERSION, roles: config.roles }, "ready");
}

/** The first signal lets the server finish; it exits 0 once everything is flushed and closed. */
function stopOnSignal(opening: Promise<Server>, onError: (error: unknown) => void): void {
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    opening
      .then((server) => server.close())
      .then(() => process.exit(0))
      .catch((error) => {
        onError(error);
        process.exit(1);
      });
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
}

function announce({ addresses, first }: Server): void {
  const lines = [
    `Muster ${VERSION} is running at ${addresses.publicUrl}`,
    `  API reference  ${addresses.publicUrl}/docs`,
  ];
  if (first) {
    lines.push(
      "",
      `  Organization   ${addresses.organizationHost(first.organization.namespace)}`,
      `  Connector id   ${first.connector.id}`,
      `  Secret         ${first.connector.secret}`,
      `  Gateway        ${addresses.firehoseUrl}`,
    );
  }
  console.log(`${lines.join("\n")}\n`);
}

main().catch((error: unknown) => {
  console.error(
    error instanceof ConfigError || !(error instanceof Error) ? String((error as Error).message) : explain(error),
  );
  process.exit(1);
});

function explain(error: Error): string {
  return process.env.LOG_LEVEL === "debug" ? String(error.stack) : `Muster could not start: ${error.message}`;
}
