import type { Command } from "commander";
import { type CommandContext, globalOptions } from "../command-context.js";
import type { DocumentedCommand } from "../documentation/documented-command.js";
import { Exit } from "../failure.js";
import { runServer } from "../server-process.js";

interface StartOptions {
  port?: string;
  roles?: string;
  migrateOnly?: boolean;
}

export function addStart(program: DocumentedCommand, { environment }: CommandContext): void {
  program
    .command("start")
    .description("start the server and run it until it is stopped; --json announces it as one line of JSON")
    .example("muster start --port 9000 --data-dir /var/lib/muster")
    .option("--port <port>", "port to listen on (PORT)")
    .option("--roles <roles>", "run only these parts, e.g. gateway (ROLES)")
    .option("--migrate-only", "bring the schema of the database up to date, and stop")
    .action(async (options: StartOptions, command: Command) => {
      const { dataDir, json } = globalOptions(command);
      const code = await runServer(
        [
          ...(options.port === undefined ? [] : ["--port", options.port]),
          ...(options.roles === undefined ? [] : ["--roles", options.roles]),
          ...(options.migrateOnly ? ["--migrate-only"] : []),
          ...(dataDir === undefined ? [] : ["--data-dir", dataDir]),
          ...(json ? ["--json"] : []),
        ],
        environment,
      );
      if (code !== 0) throw new Exit(code);
    });
}
