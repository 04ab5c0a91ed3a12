import { readFileSync } from "node:fs";
import { Command } from "commander";
import type { CommandContext } from "./command-context.js";
import { addConfig } from "./commands/config.js";
import { addConnector } from "./commands/connector.js";
import { addDoctor } from "./commands/doctor.js";
import { addExtract } from "./commands/extract.js";
import { addImport } from "./commands/import.js";
import { addJobs } from "./commands/jobs.js";
import { addOrg } from "./commands/org.js";
import { addRebuild } from "./commands/rebuild.js";
import { addStart } from "./commands/start.js";
import { addStatus } from "./commands/status.js";

/** The whole `muster` command. */
export function createProgram(context: CommandContext): Command {
  const program = new Command("muster")
    .description("Runs and manages Muster, the self-hosted audience data platform.")
    .version(readVersion())
    .option("--url <url>", "address of the running server (MUSTER_URL; default http://127.0.0.1:8080)")
    .option("--org <organization>", "organization to work on: its namespace or id (default: the default one)")
    .option("--data-dir <dir>", "data directory of the server (DATA_DIR; default ./data)")
    .option("--json", "print JSON")
    .showHelpAfterError("Try `muster --help`.")
    .configureOutput({
      writeOut: (text) => context.print(text.trimEnd()),
      writeErr: (text) => context.warn(text.trimEnd()),
    });
  addStart(program, context);
  addConfig(program, context);
  addOrg(program, context);
  addConnector(program, context);
  addStatus(program, context);
  addImport(program, context);
  addExtract(program, context);
  addJobs(program, context);
  addRebuild(program, context);
  addDoctor(program, context);
  return program;
}

function readVersion(): string {
  const file = new URL("../package.json", import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
