import type { Credentials } from "@muster/protocol/api/connectors";
import type { Organization } from "@muster/protocol/api/organizations";
import type { Command } from "commander";
import type { Api } from "../../api.js";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { findConnector } from "../../find/find-connector.js";
import { confirm } from "../../input/confirm.js";
import { lines } from "../../output/table.js";
import { serverKeyOf } from "../write-key.js";

export function addCredentials(connector: DocumentedCommand, context: CommandContext): void {
  connector
    .command("create <name>")
    .description("create plain API credentials and a write key: a connector without a manifest")
    .example('muster connector create "My shop" --org acme')
    .action(async (name: string, _options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      const created = await api.post<Credentials>("/connectors", { name });
      const { id, secret, organization, firehose_url } = created;
      show({ id, secret, organization, firehose_url, write_key: created.write_key ?? "" }, lines);
    });

  connector
    .command("credentials <id>")
    .description("print the id, the secret and the server key of a connector")
    .option("--env", "print lines for a shell, which set MUSTER_URL, MUSTER_ID, MUSTER_SECRET and MUSTER_WRITE_KEY")
    .example('muster connector credentials "My shop"')
    .example('eval "$(muster connector credentials API --env)"')
    .action(async (given: string, { env }: { env?: boolean }, command: Command) => {
      const { api, options, show } = await connect(context, command);
      const { id, secret, name } = await findConnector(api, given);
      const writeKey = await serverKeyOf(api, id);
      if (!env) return show({ id, secret, name, ...(writeKey === undefined ? {} : { write_key: writeKey }) }, lines);
      const url = options.org === undefined ? api.url : await organizationUrl(api);
      const variables = { MUSTER_URL: url, MUSTER_ID: id, MUSTER_SECRET: secret };
      show({ ...variables, ...(writeKey === undefined ? {} : { MUSTER_WRITE_KEY: writeKey }) }, exportLines);
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

/** The server's address stands for the default organization. Others have an address each. */
async function organizationUrl(api: Api): Promise<string> {
  return (await api.get<Organization>("/org")).url;
}

/** Lines for a shell that set the variables and export them. */
function exportLines(variables: Record<string, string>): string {
  const quoted = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`;
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}=${quoted(value)}`)
    .join("\n");
}
