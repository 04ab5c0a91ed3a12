import type { Command } from "commander";
import { type CommandContext, dataDirectory, globalOptions, serverUrl } from "../command-context.js";
import { checkClock } from "../doctor/check-clock.js";
import { checkDataDirectory } from "../doctor/check-data-directory.js";
import { checkDisk } from "../doctor/check-disk.js";
import { checkNode } from "../doctor/check-node.js";
import { checkServer } from "../doctor/check-server.js";
import type { Finding } from "../doctor/finding.js";

const MARKS: Record<Finding["verdict"], string> = { ok: "ok  ", warning: "warn", problem: "FAIL" };

export function addDoctor(program: Command, context: CommandContext): void {
  program
    .command("doctor")
    .description("check this machine and the running server; exits 1 when something is wrong")
    .action(async (_options: object, command: Command) => {
      const options = globalOptions(command);
      const findings = await examine(serverUrl(context, options), dataDirectory(context, options));
      context.print(
        options.json
          ? JSON.stringify(findings)
          : findings.map(({ verdict, check, message }) => `${MARKS[verdict]}  ${check}: ${message}`).join("\n"),
      );
      if (findings.some(({ verdict }) => verdict === "problem")) process.exitCode = 1;
    });
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
