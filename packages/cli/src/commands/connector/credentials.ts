import type { Command } from "commander";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { findConnector } from "../../find/find-connector.js";
import { confirm } from "../../input/confirm.js";
import { lines } from "../../output/table.js";

interface Credentials {
  id: string;
  secret: string;
  organization: string;
  name: string;
  firehose_url: string;
}

export function addCredentials(connector: DocumentedCommand, context: CommandContext): void {
  connector
    .command("create <name>")
    .description("create plain API credentials: a connector without a manifest")
    .example('muster connector create "My shop" --org acme')
    .action(async (name: string, _options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id, secret, organization, firehose_url } = await api.post<Credentials>("/connectors", { name });
      show({ id, secret, organization, firehose_url }, lines);
    });

  connector
    .command("credentials <id>")
    .description("print the id and the secret of a connector")
    .example('muster connector credentials "My shop"')
    .action(async (given: string, _options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id, secret, name } = await findConnector(api, given);
      show({ id, secret, name }, lines);
    });

  connector
    .command("rotate-secret <id>")
    .description("replace a connector's secret; the old one stops working at once")
    .option("--yes", "do not ask first")
    .example('muster connector rotate-secret "My shop"')
    .action(async (given: string, { yes }: { yes?: boolean }, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id, name } = await findConnector(api, given);
      await confirm(context, `The current secret of "${name}" (${id}) stops working at once. Replace it?`, yes);
      const { secret, organization } = await api.post<Credentials>(`/${id}/secret`);
      show({ id, secret, organization }, lines);
    });
}
