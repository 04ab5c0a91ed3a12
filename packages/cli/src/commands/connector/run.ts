import type { Environment } from "@muster/server/environment";
import type { Command } from "commander";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { Exit } from "../../failure.js";
import { runServer } from "../../server-process.js";

/** What a connector may read of the environment. The other variables are settings of the server, some of them secrets. */
const PASSED_ON = [
  ...["PATH", "HOME", "TMPDIR", "TZ", "NODE_OPTIONS", "NODE_EXTRA_CA_CERTS"],
  ...["HOST", "ORGANIZATIONS", "CONNECTOR_URLS", "BRAND", "REDIS_URL"],
];

export function addRun(connector: DocumentedCommand, context: CommandContext): void {
  connector
    .command("run <name>")
    .description(
      "run a connector that comes with Muster in a process of its own until it is stopped; it serves all organizations of the server, or those of ORGANIZATIONS",
    )
    .option("--port <port>", "port to listen on (default: one for each connector, 8091 to 8096)")
    .example("muster connector run warehouse --port 8095")
    .action(async (name: string, { port }: { port?: string }, command: Command) => {
      const { api } = await connect(context, command);
      const { environment } = context;
      const passedOn = Object.fromEntries(PASSED_ON.map((variable) => [variable, environment[variable]]));
      const filledIn: Environment = {
        MUSTER_URL: api.url,
        // The addresses of webhooks stay the same after a restart.
        HOST_SECRET: environment.HOST_SECRET ?? api.deriveSecret(`connector ${name}`),
        ...(port === undefined ? {} : { PORT: port }),
      };
      const code = await runServer([name], { ...passedOn, ...filledIn }, "@muster/server/connector");
      if (code !== 0) throw new Exit(code);
    });
}
