import type { Command } from "commander";
import { type CommandContext, connect, globalOptions } from "../command-context.js";
import { table } from "../output.js";

interface Status {
  jobs: { id: string; type?: string; status?: string; name?: string }[];
  connectors: { id: string; name: string; status: string; messages: string[]; updated_at: string | null }[];
}

export function addStatus(program: Command, context: CommandContext): void {
  program
    .command("status")
    .description("show the active jobs and the status of the connectors")
    .action(async (_options: object, command: Command) => {
      const options = globalOptions(command);
      const status = await (await connect(context, options)).get<Status>("/status");
      context.print(options.json ? JSON.stringify(status) : describe(status));
    });
}

function describe({ jobs, connectors }: Status): string {
  const connectorTable = table(
    ["CONNECTOR", "NAME", "STATUS", "MESSAGES"],
    connectors.map(({ id, name, status, messages }) => [id, name, status, messages.join(" ")]),
  );
  if (jobs.length === 0) return `${connectorTable}\n\nNo active jobs.`;
  const jobTable = table(
    ["JOB", "TYPE", "STATUS", "NAME"],
    jobs.map(({ id, type = "", status = "", name = "" }) => [id, type, status, name]),
  );
  return `${connectorTable}\n\n${jobTable}`;
}
