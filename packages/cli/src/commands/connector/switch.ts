import type { OwnConnector } from "@muster/protocol/api/connectors";
import type { Delivery } from "@muster/protocol/api/deliveries";
import { type Command, Option } from "commander";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { findConnector } from "../../find/find-connector.js";
import { confirm } from "../../input/confirm.js";
import { lines } from "../../output/table.js";

interface DisableFlags {
  messages?: OwnConnector["when_disabled"];
  yes?: boolean;
}

export function addSwitch(connector: DocumentedCommand, context: CommandContext): void {
  connector
    .command("enable <id>")
    .description("enable a connector: it is called and notified again")
    .example("muster connector enable Mailer")
    .action(async (id: string, _options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      const { id: found } = await findConnector(api, id);
      show(stateOf(await api.put<OwnConnector>(`/${found}`, { enabled: true })), describe);
    });

  connector
    .command("disable <id>")
    .description("disable a connector: its credentials are refused and it is not called")
    .addOption(
      new Option(
        "--messages <what>",
        "drop the messages for it, or hold them until it is enabled (default: as set)",
      ).choices(["drop", "hold"]),
    )
    .option("--yes", "do not ask before messages are dropped")
    .example("muster connector disable Mailer --messages hold")
    .action(async (id: string, { messages, yes }: DisableFlags, command: Command) => {
      const { api, show } = await connect(context, command);
      const found = await findConnector(api, id);
      if ((messages ?? found.when_disabled) === "drop") {
        const { queued_messages: queued } = await api.get<Delivery>(`/${found.id}/delivery`);
        const question = `Messages for "${found.name}" are dropped while it is disabled; ${queued} wait now. Disable it?`;
        await confirm(context, question, yes);
      }
      const body = { enabled: false, ...(messages === undefined ? {} : { when_disabled: messages }) };
      show(stateOf(await api.put<OwnConnector>(`/${found.id}`, body)), describe);
    });
}

type State = Pick<OwnConnector, "id" | "name" | "enabled" | "when_disabled">;

function stateOf({ id, name, enabled, when_disabled }: OwnConnector): State {
  return { id, name, enabled, when_disabled };
}

function describe({ id, name, enabled, when_disabled }: State): string {
  return lines({ id, name, state: enabled ? "enabled" : `disabled (messages: ${when_disabled})` });
}
