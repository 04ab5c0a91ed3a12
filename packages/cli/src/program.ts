import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandContext } from "./command-context.js";
import { addBackup } from "./commands/backup.js";
import { addCompletion } from "./commands/completion.js";
import { addComputed } from "./commands/computed/computed.js";
import { addConfig } from "./commands/config.js";
import { addConnector } from "./commands/connector/connector.js";
import { addDemo } from "./commands/demo.js";
import { addDestinations } from "./commands/destinations.js";
import { addDoctor } from "./commands/doctor.js";
import { addExtract } from "./commands/extract.js";
import { addImport } from "./commands/import.js";
import { addInsights } from "./commands/insights/insights.js";
import { addJobs } from "./commands/jobs.js";
import { addLog } from "./commands/log.js";
import { addOrg } from "./commands/org.js";
import { addPlatform } from "./commands/platform/platform.js";
import { addPurposes } from "./commands/purposes.js";
import { addRebuild } from "./commands/rebuild.js";
import { addRestore } from "./commands/restore.js";
import { addSearch } from "./commands/search.js";
import { addSegment } from "./commands/segment/segment.js";
import { addSignIn } from "./commands/sign-in.js";
import { addStart } from "./commands/start.js";
import { addStatus } from "./commands/status.js";
import { addAccount } from "./commands/subject/account.js";
import { addDoNotMerge } from "./commands/subject/merges.js";
import { addUser } from "./commands/subject/user.js";
import { addToken } from "./commands/token.js";
import { addWriteKey } from "./commands/write-key.js";
import { DocumentedCommand } from "./documentation/documented-command.js";
import { PACKAGE_FOLDER } from "./package-folder.js";

/** The whole `muster` command. */
export function createProgram(context: CommandContext): DocumentedCommand {
  const program = new DocumentedCommand("muster")
    .description("Runs and manages Muster, the self-hosted audience data platform.")
    .version(readVersion())
    .option("--url <url>", "address of the running server (MUSTER_URL; default: the server of the data directory)")
    .option("--org <organization>", "organization to work on: its namespace or id (default: the default one)")
    .option("--data-dir <dir>", "data directory of the server (DATA_DIR; default ./data)")
    .option("--json", "print JSON")
    .example("muster status --org acme")
    .showHelpAfterError("Try the same command with --help.")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => context.print(text.trimEnd()),
      writeErr: (text) => context.warn(text.trimEnd()),
    })
    // Commander throws instead of ending the process; `run` gives the exit code.
    .exitOverride();
  addStart(program, context);
  addSignIn(program, context);
  addStatus(program, context);
  addDemo(program, context);
  addDoctor(program, context);
  addConfig(program, context);
  addOrg(program, context);
  addConnector(program, context);
  addDestinations(program, context);
  addWriteKey(program, context);
  addPurposes(program, context);
  addPlatform(program, context);
  addComputed(program, context);
  addSegment(program, context);
  addInsights(program, context);
  addSearch(program, context);
  addUser(program, context);
  addAccount(program, context);
  addDoNotMerge(program, context);
  addToken(program, context);
  addImport(program, context);
  addExtract(program, context);
  addJobs(program, context);
  addRebuild(program, context);
  addLog(program, context);
  addBackup(program, context);
  addRestore(program, context);
  addCompletion(program, context);
  return program;
}

function readVersion(): string {
  const file = join(PACKAGE_FOLDER, "package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}
