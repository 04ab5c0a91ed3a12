import type { OwnConnector } from "@muster/protocol/api/connectors";
import type { Command } from "commander";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { findConnector } from "../../find/find-connector.js";
import { table } from "../../output/table.js";
import { valueText } from "../../output/value-text.js";
import { maskValue } from "../../settings/mask-private-settings.js";
import { type Assignment, readAssignments } from "../../settings/read-assignments.js";

interface Change {
  setting: string;
  before: unknown;
  after: unknown;
}

export function addSet(connector: DocumentedCommand, context: CommandContext): void {
  connector
    .command("set <id> <assignments...>")
    .summary("change settings of a connector: KEY=VALUE")
    .description(
      "change settings: KEY=VALUE, where KEY is settings.NAME, private_settings.NAME or a declared NAME. KEY= clears, KEY:=JSON gives JSON, KEY=@FILE reads a file, KEY=- reads standard input (keeps secrets out of the shell's history)",
    )
    .example("muster connector set Mailer settings.region=eu batch_size=50 segments:='[\"5f…\"]'")
    .example("muster connector set Mailer private_settings.api_key=- < key.txt")
    .action(async (id: string, given: string[], _options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      const before = await findConnector(api, id);
      const assignments = await readAssignments(context, before.manifest, given);
      const body: Record<string, Record<string, unknown>> = {};
      for (const { group, name, value } of assignments) body[group] = { ...body[group], [name]: value };
      const after = await api.put<OwnConnector>(`/${before.id}`, body);
      const changes = assignments.flatMap((assignment) => changeOf(assignment, before, after));
      show({ id: before.id, name: before.name, changes }, () => describe(changes, context.width));
    });
}

function changeOf({ group, name, declared }: Assignment, before: OwnConnector, after: OwnConnector): Change[] {
  const [old, now] = [before[group][name] ?? null, after[group][name] ?? null];
  if (JSON.stringify(old) === JSON.stringify(now)) return [];
  const shown = (value: unknown) => (group === "private_settings" ? maskValue(declared, value) : value);
  return [{ setting: `${group}.${name}`, before: shown(old), after: shown(now) }];
}

function describe(changes: Change[], width: number | undefined): string {
  if (changes.length === 0) return "Nothing changed: the settings had these values already.";
  return table(
    ["SETTING", "BEFORE", "NOW"],
    changes.map(({ setting, before, after }) => [
      setting,
      valueText(before) || "-",
      // Two masked values look the same.
      valueText(after) === valueText(before) ? `${valueText(after)} (changed)` : valueText(after) || "-",
    ]),
    width,
  );
}
