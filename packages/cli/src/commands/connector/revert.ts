import type { Command } from "commander";
import { type RevertFlags, runRevert } from "../../bulk/run-revert.js";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { findConnector } from "../../find/find-connector.js";

interface Flags extends RevertFlags {
  from: string;
  to?: string;
}

export function addRevert(connector: DocumentedCommand, context: CommandContext): void {
  connector
    .command("revert <id>")
    .description("undo what a connector wrote in a range of time, without its imports; says first what that means")
    .requiredOption("--from <time>", "when the first of its writes came, as ISO 8601 or unix seconds")
    .option("--to <time>", "when the last of them came (default: now)")
    .option("--dry-run", "change nothing; say what would happen")
    .option("--yes", "do not ask first")
    .example("muster connector revert Mailer --from 2026-03-01T10:00:00Z --dry-run")
    .action(async (id: string, flags: Flags, command: Command) => {
      const connection = await connect(context, command);
      const { id: found } = await findConnector(connection.api, id);
      await runRevert(context, connection, { ...flags, id: found });
    });
}
