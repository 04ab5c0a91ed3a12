import type { CommandContext } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { addMerges } from "./merges.js";
import { addShowAndErase } from "./subject.js";

export function addAccount(program: DocumentedCommand, context: CommandContext): void {
  const account = program
    .command("account")
    .description("one account; ACCOUNT is its id, domain, external id or anonymous id")
    .example("muster account show example.com");
  addShowAndErase(account, "account", context);
  addMerges(account, "account", context);
}
