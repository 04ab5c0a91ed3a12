import type { Command } from "commander";
import { type CommandContext, dataDirectory, globalOptions, serverUrl, showWith } from "../command-context.js";
import { checkClock } from "../doctor/check-clock.js";
import { checkDataDirectory } from "../doctor/check-data-directory.js";
import { checkDisk } from "../doctor/check-disk.js";
import { checkNode } from "../doctor/check-node.js";
import { checkServer } from "../doctor/check-server.js";
import type { Finding } from "../doctor/finding.js";
import type { DocumentedCommand } from "../documentation/documented-command.js";
import { EXIT_CODES, Exit } from "../failure.js";

const MARKS: Record<Finding["verdict"], string> = { ok: "ok  ", warning: "warn", problem: "FAIL" };

export function addDoctor(program: DocumentedCommand, context: CommandContext): void {
  program
    .command("doctor")
    .description("check this machine and the running server; exits 1 when something is wrong")
    .example("muster doctor")
    .action(async (_options: object, command: Command) => {
      const options = globalOptions(command);
      const findings = await examine(serverUrl(context, options), dataDirectory(context, options));
      showWith(context, options)(findings, describe);
      if (findings.some(({ verdict }) => verdict === "problem")) throw new Exit(EXIT_CODES.refused.code);
    });
}

function describe(findings: Finding[]): string {
  return findings.map(({ verdict, check, message }) => `${MARKS[verdict]}  ${check}: ${message}`).join("\n");
}

async function examine(url: string, directory: string): Promise<Finding[]> {
  const { findings, serverTime } = await checkServer(url);
  return [
    checkNode(process.versions.node),
    ...findings,
    await checkDataDirectory(directory),
    await checkDisk(directory),
    await checkClock(Date.now(), serverTime),
  ];
}
