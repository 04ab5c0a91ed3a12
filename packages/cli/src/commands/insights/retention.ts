import type { Command } from "commander";
import { type CommandContext, connect } from "../../command-context.js";
import type { DocumentedCommand } from "../../documentation/documented-command.js";
import { answerInsight } from "./answer-insight.js";
import { intervalOption, type TimeFlags, timeOf, withTime } from "./time-options.js";

interface RetentionFlags extends TimeFlags {
  start?: string;
  return?: string;
  interval?: string;
}

export function addRetention(insights: DocumentedCommand, context: CommandContext): void {
  withTime(insights.command("retention"))
    .description("show how many users come back, by when they did something first")
    .option("--start <event>", "the event that users begin with (default: any)")
    .option("--return <event>", "the event that they come back for (default: any)")
    .addOption(intervalOption())
    .example('muster insights retention --start "Signed up" --interval week --from now-8w/w')
    .action(async (flags: RetentionFlags, command: Command) => {
      const { start, return: comeback, interval } = flags;
      const { api, show } = await connect(context, command);
      const retention = {
        ...(start === undefined ? {} : { start: { event: start } }),
        ...(comeback === undefined ? {} : { return: { event: comeback } }),
        ...(interval === undefined ? {} : { interval }),
        ...timeOf(flags),
      };
      const { answer, text } = await answerInsight(api, { retention }, context.width);
      show(answer, text);
    });
}
