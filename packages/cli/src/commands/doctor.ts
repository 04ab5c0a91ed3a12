import type { Command } from "commander";
import { reach } from "../api.js";
import { type CommandContext, connect, dataDirectory, globalOptions, likelyUrl, showWith } from "../command-context.js";
import { checkClock } from "../doctor/check-clock.js";
import { checkDataDirectory } from "../doctor/check-data-directory.js";
import { checkDisk } from "../doctor/check-disk.js";
import { checkHealth } from "../doctor/check-health.js";
import { checkNode } from "../doctor/check-node.js";
import { checkServer } from "../doctor/check-server.js";
import { checkVersions } from "../doctor/check-versions.js";
import type { Finding } from "../doctor/finding.js";
import type { DocumentedCommand } from "../documentation/documented-command.js";
import { EXIT_CODES, Exit, Failure } from "../failure.js";

const MARKS: Record<Finding["verdict"], string> = { ok: "ok  ", warning: "warn", problem: "FAIL" };

export function addDoctor(program: DocumentedCommand, context: CommandContext): void {
  program
    .command("doctor")
    .description("check this machine and the running server, and say what to do; exits 1 when something is wrong")
    .example("muster doctor")
    .action(async (_options: object, command: Command) => {
      const options = globalOptions(command);
      const findings = await examine(context, command, program.version() ?? "");
      showWith(context, options)(findings, describe);
      if (findings.some(({ verdict }) => verdict === "problem")) throw new Exit(EXIT_CODES.refused.code);
    });
}

function describe(findings: Finding[]): string {
  return findings
    .flatMap(({ verdict, check, message, advice }) => [
      `${MARKS[verdict]}  ${check}: ${message}`,
      ...(advice === undefined ? [] : [`      ${advice}`]),
    ])
    .join("\n");
}

async function examine(context: CommandContext, command: Command, version: string): Promise<Finding[]> {
  const options = globalOptions(command);
  const url = await likelyUrl(context, options);
  const directory = dataDirectory(context, options);
  const { findings, serverTime } = await checkServer(url);
  const server = serverTime === undefined ? undefined : await examineServer(context, command, url, version);
  return [
    checkNode(process.versions.node),
    ...findings,
    await checkDataDirectory(directory),
    // A running server checks its own disk, which may be on another machine.
    ...(server?.some(({ check }) => check === "Disk") ? [] : [await checkDisk(directory)]),
    await checkClock(Date.now(), serverTime),
    ...(server ?? []),
  ];
}

async function examineServer(
  context: CommandContext,
  command: Command,
  url: string,
  version: string,
): Promise<Finding[]> {
  const document = await reach(`${url}/api/v1/openapi.json`);
  // The server documents that the version is there.
  const { info } = (await document.json()) as { info: { version: string } };
  const versions = checkVersions(version, info.version);
  try {
    const { api } = await connect(context, command);
    return [versions, ...(await checkHealth(api))];
  } catch (error) {
    // Without the token, or while PostgreSQL is unavailable, the other findings are still reported.
    if (!(error instanceof Failure)) throw error;
    return [versions, { check: "server", verdict: "warning", message: "not checked further", advice: error.message }];
  }
}
