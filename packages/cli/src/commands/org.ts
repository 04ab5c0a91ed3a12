import type { Command } from "commander";
import { type CommandContext, connect, globalOptions } from "../command-context.js";
import { lines, table } from "../output.js";

interface Organization {
  id: string;
  namespace: string;
  name: string;
  created_at: string;
}

export function addOrg(program: Command, context: CommandContext): void {
  const org = program.command("org").description("organizations of the server");

  org
    .command("create <namespace>")
    .description("create an organization; it answers on <namespace>.<BASE_DOMAIN>")
    .option("--name <name>", "name to show (default: the namespace)")
    .action(async (namespace: string, { name }: { name?: string }, command: Command) => {
      const options = globalOptions(command);
      const api = await connect(context, options);
      const created = await api.post<Organization>("/organizations", {
        namespace,
        ...(name === undefined ? {} : { name }),
      });
      const shown = { id: created.id, namespace: created.namespace, name: created.name };
      context.print(options.json ? JSON.stringify(shown) : lines(shown));
    });

  org
    .command("list")
    .description("list the organizations")
    .action(async (_options: object, command: Command) => {
      const options = globalOptions(command);
      const all = await (await connect(context, options)).getAll<Organization>("/organizations");
      context.print(
        options.json
          ? JSON.stringify(all)
          : table(
              ["ID", "NAMESPACE", "NAME", "CREATED"],
              all.map(({ id, namespace, name, created_at }) => [id, namespace, name, created_at]),
            ),
      );
    });
}
