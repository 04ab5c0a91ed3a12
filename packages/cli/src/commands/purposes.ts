import type { OwnConnector } from "@muster/protocol/api/connectors";
import type { Purpose } from "@muster/protocol/api/purposes";
import type { Command } from "commander";
import { type CommandContext, connect } from "../command-context.js";
import type { DocumentedCommand } from "../documentation/documented-command.js";
import { findConnector } from "../find/find-connector.js";
import { lines, table } from "../output/table.js";
import { readList } from "../read-list.js";

export function addPurposes(program: DocumentedCommand, context: CommandContext): void {
  const purposes = program
    .command("purposes")
    .description("what people agree to; connectors that serve a purpose are told only about users who have agreed")
    .example("muster purposes list");

  purposes
    .command("list")
    .description("list the purposes, and the connectors that serve each")
    .example("muster purposes list")
    .action(async (_options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      show(await readList<Purpose>(api, "/purposes"), (all) => listing(all, context.width));
    });

  purposes
    .command("set <name>")
    .description("create a purpose, or change its description")
    .option("--description <text>", "what people are asked to agree to")
    .example('muster purposes set marketing --description "News by e-mail"')
    .action(async (name: string, { description }: { description?: string }, command: Command) => {
      const { api, show } = await connect(context, command);
      const body = description === undefined ? {} : { description };
      const purpose = await api.put<Purpose>(`/purposes/${encodeURIComponent(name)}`, body);
      show(purpose, ({ attribute }) => lines({ name: purpose.name, description: purpose.description, attribute }));
    });

  purposes
    .command("delete <name>")
    .description("delete a purpose that no connector serves; what people have agreed to stays")
    .example("muster purposes delete surveys")
    .action(async (name: string, _options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      const deleted = await api.delete<{ name: string; deleted: true }>(`/purposes/${encodeURIComponent(name)}`);
      show(deleted, () => `"${name}" is deleted.`);
    });

  purposes
    .command("serve <connector> [names...]")
    .description("say which purposes a connector serves, all of them; without names it is told about everybody")
    .example("muster purposes serve Mailer marketing")
    .action(async (given: string, names: string[], _options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id } = await findConnector(api, given);
      const { name, purposes: served } = await api.put<OwnConnector>(`/${id}`, { purposes: names });
      show({ id, name, purposes: served }, () =>
        lines({ id, name, purposes: served.join(", ") || "none: it is told about everybody" }),
      );
    });
}

function listing(purposes: Purpose[], width: number | undefined): string {
  if (purposes.length === 0) return "No purposes: connectors are told about everybody.";
  return table(
    ["NAME", "ATTRIBUTE", "CONNECTORS", "DESCRIPTION"],
    purposes.map(({ name, attribute, connector_ids: ids, description }) => [
      name,
      attribute,
      String(ids.length),
      description || "-",
    ]),
    width,
  );
}
