import type { SavedInsight } from "@muster/protocol/api/insights";
import type { Command } from "commander";
import type { Api } from "../../api.js";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { onlyOneNamed } from "../../find/find-connector.js";
import { table } from "../../output/table.js";
import { timeText } from "../../output/time-text.js";
import { readList } from "../../read-list.js";
import { answerInsight } from "./answer-insight.js";

export function addSavedInsights(insights: DocumentedCommand, context: CommandContext): void {
  insights
    .command("list")
    .description("list the saved insights")
    .example("muster insights list")
    .action(async (_options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      const all = await readList<SavedInsight>(api, "/insights");
      show(all, () => listing(all, context.width));
    });

  insights
    .command("run <insight>")
    .description("show the numbers of a saved insight; INSIGHT is its id, or a name that only one has")
    .example('muster insights run "Orders by week"')
    .action(async (given: string, _options: object, command: Command) => {
      const { api, show } = await connect(context, command);
      const { question } = await findInsight(api, given);
      const { answer, text } = await answerInsight(api, question, context.width);
      show(answer, text);
    });
}

async function findInsight(api: Api, given: string): Promise<SavedInsight> {
  const all = await readList<SavedInsight>(api, "/insights");
  const byId = all.find(({ id }) => String(id) === given);
  if (byId) return byId;
  const named = all.map((insight) => ({ ...insight, id: String(insight.id) }));
  const { id } = onlyOneNamed(named, given, "insight", "`muster insights list` shows all.");
  return all.find((insight) => String(insight.id) === id)!;
}

function listing(insights: readonly SavedInsight[], width: number | undefined): string {
  if (insights.length === 0) return "No saved insights yet.";
  return table(
    ["ID", "NAME", "KIND", "ON HOME", "UPDATED"],
    insights.map(({ id, name, question, home_place, updated_at }) => [
      String(id),
      name,
      Object.keys(question)[0] ?? "-",
      home_place === null ? "no" : "yes",
      timeText(updated_at),
    ]),
    width,
  );
}
