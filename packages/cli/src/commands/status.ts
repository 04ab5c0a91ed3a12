import type { Status } from "@muster/protocol/api/status";
import type { Command } from "commander";
import { type CommandContext, connect } from "../command-context.js";
import type { DocumentedCommand } from "../documentation/documented-command.js";
import { table } from "../output/table.js";

export function addStatus(program: DocumentedCommand, context: CommandContext): void {
  program
    .command("status")
    .description("show the active jobs, the status of the connectors, and what does not work")
    .example("muster status --org acme")
    .action(async (_options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      show(await api.get<Status>("/status"), (status) => describe(status, context.width));
    });
}

function describe({ jobs, connectors, problems }: Status, width: number | undefined): string {
  const parts = [
    table(
      ["CONNECTOR", "NAME", "STATUS", "MESSAGES"],
      connectors.map(({ id, name, status, messages }) => [id, name, status, messages.join(" ")]),
      width,
    ),
    jobs.length === 0
      ? "No active jobs."
      : table(
          ["JOB", "TYPE", "STATUS", "NAME"],
          jobs.map(({ id, type, status, name }) => [id, type, status, name]),
          width,
        ),
    problems.length === 0
      ? "No problems."
      : table(
          ["PROBLEM", "NAME", "SINCE", "WHY"],
          problems.map(({ kind, name, since, message }) => [kind, name, since, message]),
          width,
        ),
  ];
  return parts.join("\n\n");
}
