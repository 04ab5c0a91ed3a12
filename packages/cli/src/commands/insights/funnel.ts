import type { Command } from "commander";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { usageFailure } from "../../failure.js";
import { answerInsight } from "./answer-insight.js";
import { type BreakdownFlags, type TimeFlags, timeOf, withBreakdown, withTime } from "./time-options.js";

interface FunnelFlags extends TimeFlags, BreakdownFlags {
  within?: string;
}

export function addFunnel(insights: DocumentedCommand, context: CommandContext): void {
  withTime(withBreakdown(insights.command("funnel <steps...>")))
    .description("show how many users come how far through events, in their order")
    .option("--within <time>", "the time from the first step to the last, such as 12h or 7d (the default)")
    .example('muster insights funnel "Signed up" Ordered --within 14d')
    .action(async (events: string[], flags: FunnelFlags, command: Command) => {
      if (events.length < 2) throw usageFailure("Give the names of two events or more.");
      const { within, breakdown } = flags;
      const { api, show } = await connect(context, command);
      const funnel = {
        steps: events.map((event) => ({ event })),
        ...(within === undefined ? {} : { within }),
        ...(breakdown === undefined ? {} : { breakdown }),
        ...timeOf(flags),
      };
      const { answer, text } = await answerInsight(api, { funnel }, context.width);
      show(answer, text);
    });
}
