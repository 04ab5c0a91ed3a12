import type { CommandContext } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { addFunnel } from "./funnel.js";
import { addRetention } from "./retention.js";
import { addSavedInsights } from "./saved-insights.js";
import { addTrend } from "./trend.js";

export function addInsights(program: DocumentedCommand, context: CommandContext): void {
  const insights = program
    .command("insights")
    .description("trends, funnels and retention of events, and the saved ones")
    .example("muster insights list");
  addTrend(insights, context);
  addFunnel(insights, context);
  addRetention(insights, context);
  addSavedInsights(insights, context);
}
