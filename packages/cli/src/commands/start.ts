import type { Command } from "commander";
import { type CommandContext, globalOptions } from "../command-context.js";
import { runServer } from "../server-process.js";

interface StartOptions {
  port?: string;
  roles?: string;
}

export function addStart(program: Command, { environment }: CommandContext): void {
  program
    .command("start")
    .description("start the server and run it until it is stopped; --json announces it as one line of JSON")
    .option("--port <port>", "port to listen on (PORT)")
    .option("--roles <roles>", "run only these parts, e.g. api,worker (ROLES)")
    .action(async (options: StartOptions, command: Command) => {
      const { dataDir, json } = globalOptions(command);
      process.exitCode = await runServer(
        [
          ...(options.port === undefined ? [] : ["--port", options.port]),
          ...(options.roles === undefined ? [] : ["--roles", options.roles]),
          ...(dataDir === undefined ? [] : ["--data-dir", dataDir]),
          ...(json ? ["--json"] : []),
        ],
        environment,
      );
    });
}
