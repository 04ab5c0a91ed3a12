import type { Organization } from "@muster/protocol/api/organizations";
import type { Command } from "commander";
import { type CommandContext, connect } from "../command-context.js";
import type { DocumentedCommand } from "../documentation/documented-command.js";
import { usageFailure } from "../failure.js";
import { findOrganization } from "../find/find-organization.js";
import { confirm, confirmByTyping } from "../input/confirm.js";
import { lines, table } from "../output/table.js";
import { timeText } from "../output/time-text.js";
import { readList } from "../read-list.js";

export function addOrg(program: DocumentedCommand, context: CommandContext): void {
  const org = program
    .command("org")
    .description("organizations of the server; ORG is a namespace or an id")
    .example("muster org list");

  org
    .command("list")
    .description("list the organizations")
    .example("muster org list --json")
    .action(async (_options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      show(await readList<Organization>(api, "/organizations"), (all) =>
        table(
          ["ID", "NAMESPACE", "NAME", "STATE", "CREATED"],
          all.map(({ id, namespace, name, enabled, created_at }) => [
            id,
            namespace,
            name,
            stateOf(enabled),
            timeText(created_at),
          ]),
          context.width,
        ),
      );
    });

  org
    .command("create <namespace>")
    .description("create an organization; it answers on NAMESPACE.BASE_DOMAIN")
    .option("--name <name>", "name to show (default: the namespace)")
    .example('muster org create acme --name "Acme Ltd"')
    .action(async (namespace: string, { name }: { name?: string }, command: Command) => {
      const { api, show } = await connect(context, command);
      const body = { namespace, ...(name === undefined ? {} : { name }) };
      const created = await api.post<Organization>("/organizations", body);
      show({ id: created.id, namespace: created.namespace, name: created.name }, lines);
    });

  org
    .command("show [org]")
    .description("show one organization (default: the one of --org, or the default one)")
    .example("muster org show acme")
    .action(async (given: string | undefined, _options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      show(given === undefined ? await api.get<Organization>("/org") : await findOrganization(api, given), describe);
    });

  org
    .command("disable <org>")
    .description("disable an organization: its connectors and end users are refused; nothing is lost")
    .option("--yes", "do not ask first")
    .example("muster org disable acme")
    .action(async (given: string, { yes }: { yes?: boolean }, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id, namespace } = await findOrganization(api, given);
      await confirm(context, `Every request for the organization "${namespace}" is refused. Disable it?`, yes);
      show(await api.forOrganization(id).put<Organization>(`/${id}`, { enabled: false }), describe);
    });

  org
    .command("enable <org>")
    .description("enable an organization again")
    .example("muster org enable acme")
    .action(async (given: string, _options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id } = await findOrganization(api, given);
      show(await api.forOrganization(id).put<Organization>(`/${id}`, { enabled: true }), describe);
    });

  org
    .command("delete <org>")
    .description("delete an organization with all its users, accounts, events, segments and connectors")
    .option("--yes", "do not ask; the argument must then be the namespace")
    .example("muster org delete acme")
    .action(async (given: string, { yes }: { yes?: boolean }, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id, namespace } = await findOrganization(api, given);
      if (!yes) {
        const warning = `The organization "${namespace}" and everything in it is deleted for good.`;
        await confirmByTyping(context, warning, namespace);
      } else if (given !== namespace) {
        throw usageFailure(`With --yes the namespace must be given, not the id: muster org delete ${namespace} --yes`);
      }
      const path = `/${id}?confirm=${encodeURIComponent(namespace)}`;
      const deleted = await api.forOrganization(id).delete<Record<string, unknown>>(path);
      show({ id, namespace, ...deleted }, () => `The organization "${namespace}" (${id}) is deleted.`);
    });
}

function describe({ id, namespace, name, enabled, created_at }: Organization): string {
  return lines({ id, namespace, name, state: stateOf(enabled), created: timeText(created_at) });
}

function stateOf(enabled: boolean | undefined): string {
  return enabled === false ? "disabled" : "enabled";
}
