import type { ComputedExplanation } from "@muster/protocol/api/computed-attributes";
import { type Command, Option } from "commander";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { findComputed } from "../../find/find-computed.js";
import { findSubject } from "../../find/find-subject.js";
import { counted } from "../../output/counted.js";
import { table } from "../../output/table.js";
import { timeText } from "../../output/time-text.js";
import { valueText } from "../../output/value-text.js";

export function addExplain(computed: DocumentedCommand, context: CommandContext): void {
  computed
    .command("explain <subject> <attribute>")
    .description("say how the value of a user or account came to be")
    .addOption(
      new Option("--by <identifier>", "which identifier the first argument is, if it could be several").choices([
        "id",
        "email",
        "domain",
        "external_id",
        "anonymous_id",
      ]),
    )
    .example("muster computed explain ada@example.com orders")
    .action(async (given: string, attribute: string, { by }: { by?: string }, command: Command) => {
      const { api, show } = await connect(context, command);
      const { name, target } = await findComputed(api, attribute);
      const { id } = await findSubject(api, target, given, by);
      const path = `/${id}/computed_attributes/${encodeURIComponent(name)}`;
      const explanation = await api.get<ComputedExplanation>(path);
      show({ id, ...explanation }, () => describe(name, explanation, context.width));
    });
}

function describe(name: string, explanation: ComputedExplanation, width: number | undefined): string {
  const { value, computed, events, inputs, users } = explanation;
  const isBehind = JSON.stringify(value) !== JSON.stringify(computed);
  return [
    `${name}: ${valueText(value) || "no value"}${isBehind ? `; at this moment it is ${valueText(computed) || "none"}` : ""}`,
    ...(events ? [eventsText(events, width)] : []),
    ...(inputs
      ? [
          table(
            ["READS", "VALUE"],
            inputs.map((input) => [input.name, valueText(input.value) || "-"]),
            width,
          ),
        ]
      : []),
    ...(users ? [usersText(users, width)] : []),
  ].join("\n\n");
}

function eventsText(
  { count, from, last }: NonNullable<ComputedExplanation["events"]>,
  width: number | undefined,
): string {
  const since = from === null ? "" : ` since ${timeText(from)}`;
  const title = `${counted(count, "events")}${since}${count > last.length ? `; the latest ${last.length}:` : ""}`;
  if (last.length === 0) return title;
  const rows = last.map(({ created_at, event, value }) => [timeText(created_at), event, valueText(value) || "-"]);
  return `${title}\n\n${table(["TIME", "EVENT", "VALUE"], rows, width)}`;
}

function usersText(
  { total, count, largest }: NonNullable<ComputedExplanation["users"]>,
  width: number | undefined,
): string {
  const title = `${count.toLocaleString("en")} of ${counted(total, "users")}`;
  if (largest.length === 0) return title;
  const rows = largest.map(({ id, name, value }) => [id, name ?? "-", valueText(value) || "-"]);
  return `${title}\n\n${table(["ID", "NAME", "VALUE"], rows, width)}`;
}
