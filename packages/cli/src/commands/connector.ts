import type { Command } from "commander";
import { type CommandContext, connect, type GlobalOptions, globalOptions } from "../command-context.js";
import { confirm } from "../confirm.js";
import { lines, table } from "../output.js";
import { scaffoldConnector } from "../scaffold/scaffold-connector.js";

interface Credentials {
  id: string;
  secret: string;
  organization: string;
  name: string;
  firehose_url: string;
}

interface Installed extends Credentials {
  /** What is wrong or unusual in the manifest. */
  problems: { severity: string; path: string; message: string }[];
}

interface ConnectorRecord {
  id: string;
  type: string;
  secret: string;
  name: string;
  status: { status: string };
  source_url: string | null;
  created_at: string;
}

export function addConnector(program: Command, context: CommandContext): void {
  const connector = program.command("connector").description("connectors of an organization");
  const show = (values: Record<string, string>, { json }: GlobalOptions) =>
    context.print(json ? JSON.stringify(values) : lines(values));

  connector
    .command("new <name>")
    .description("write the code of a new connector into a folder with its name")
    .action(async (name: string, _options: object, command: Command) => {
      const folder = await scaffoldConnector(name, ".");
      if (globalOptions(command).json) return context.print(JSON.stringify({ folder }));
      context.print(`${folder}\n\nNext: cd there, then npm install, npm test, npm start.`);
    });

  connector
    .command("create <name>")
    .description("create plain API credentials")
    .action(async (name: string, _options: object, command: Command) => {
      const options = globalOptions(command);
      const created = await (await connect(context, options)).post<Credentials>("/connectors", { name });
      const { id, secret, organization, firehose_url } = created;
      show({ id, secret, organization, firehose_url }, options);
    });

  connector
    .command("install <url>")
    .description("install the connector that runs at this address, from its manifest")
    .action(async (url: string, _options: object, command: Command) => {
      const options = globalOptions(command);
      const installed = await (await connect(context, options)).post<Installed>("/connectors/install", { url });
      const { id, secret, organization, name, problems } = installed;
      show({ id, secret, organization, name }, options);
      for (const { severity, path, message } of problems) context.warn(`manifest, ${severity}: ${path} ${message}`);
      if (!options.json)
        context.print(`\nThe connector serves this organization if ORGANIZATIONS lists ${organization}.`);
    });

  connector
    .command("list")
    .description("list the connectors")
    .action(async (_options: object, command: Command) => {
      const options = globalOptions(command);
      const all = await (await connect(context, options)).getAll<ConnectorRecord>("/connectors");
      const shown = all.map(({ id, name, status, source_url, created_at }) => ({
        id,
        name,
        status: status.status,
        source_url,
        created_at,
      }));
      context.print(
        options.json
          ? JSON.stringify(shown)
          : table(
              ["ID", "NAME", "STATUS", "RUNS AT", "CREATED"],
              shown.map(({ id, name, status, source_url, created_at }) => [
                id,
                name,
                status,
                source_url ?? "-",
                created_at,
              ]),
            ),
      );
    });

  connector
    .command("credentials <id>")
    .description("print the id and the secret of a connector")
    .action(async (id: string, _options: object, command: Command) => {
      const options = globalOptions(command);
      const api = await connect(context, options);
      const { type, name, secret } = await api.get<ConnectorRecord>(`/${encodeURIComponent(id)}`);
      if (type !== "ship") throw new Error(`There is no connector "${id}".`);
      show({ id, secret, name }, options);
    });

  connector
    .command("rotate-secret <id>")
    .description("replace a connector's secret; the old one stops working at once")
    .option("--yes", "do not ask first")
    .action(async (id: string, { yes }: { yes?: boolean }, command: Command) => {
      const options = globalOptions(command);
      const api = await connect(context, options);
      if (!yes) await confirm(`The current secret of connector ${id} stops working at once. Replace it?`);
      const { secret, organization } = await api.post<Credentials>(`/${encodeURIComponent(id)}/secret`);
      show({ id, secret, organization }, options);
    });
}
